import type { SearchQuery } from '../../../src/call.ts';
import { foldedName, type Page, type Registry, words } from '../../support/simulation/registry.ts';

export interface Bound {
  readonly mostCalls: number;
  /** Stops when so many companies are known. */
  readonly enough: number;
  /** Stops after so long, whatever was found. */
  readonly mostMs: number;
}

/** Asks a simulated registry for the baselines, and keeps the count of companies after each call. */
export class Caller {
  readonly known: number[] = [];
  readonly #registry: Registry;
  readonly #by: SearchQuery['by'];
  readonly #bound: Bound;
  readonly #untilMs: number;
  readonly #ids = new Set<string>();
  /** Characters seen to follow a text, in names or in their words, whichever the search goes by. */
  readonly #after = new Map<string, Set<string>>();

  constructor(registry: Registry, bound: Bound, by: SearchQuery['by'] = 'name') {
    this.#registry = registry;
    this.#by = by;
    this.#bound = bound;
    this.#untilMs = performance.now() + bound.mostMs;
  }

  get isOver(): boolean {
    const { mostCalls, enough } = this.#bound;
    return this.known.length >= mostCalls || this.#ids.size >= enough || performance.now() > this.#untilMs;
  }

  charactersAfter(text: string): Iterable<string> {
    return this.#after.get(text) ?? [];
  }

  /** Asks for the first page; returns the total. */
  first(text: string): number {
    return this.#ask(text, 0).total ?? 0;
  }

  list(text: string): void {
    if (this.#ask(text, 0).more) this.listOn(text);
  }

  /** Lists the pages after the first. */
  listOn(text: string): void {
    const { pageSize, window } = this.#registry.settings;
    const total = this.#registry.matches({ by: this.#by, text }).length;
    const pages = Math.ceil(Math.min(total, window ?? total) / pageSize);
    for (let page = 1; page < pages && !this.isOver; page++) this.#ask(text, page);
  }

  #ask(text: string, pageIndex: number): Page {
    const page = this.#registry.search({ by: this.#by, text }, pageIndex);
    for (const { id, name } of page.rows) {
      if (!this.#ids.has(id)) this.#read(this.#by === 'name' ? name : id);
      this.#ids.add(id);
    }
    this.known.push(this.#ids.size);
    return page;
  }

  #read(name: string): void {
    const folded = foldedName(name);
    for (const text of this.#registry.settings.semantics === 'prefix' ? [folded] : words(folded)) {
      let before = '';
      for (const character of [...text].slice(0, LONGEST)) {
        const after = this.#after.get(before) ?? new Set();
        this.#after.set(before, after.add(character));
        before += character;
      }
    }
  }
}

const LONGEST = 24;
