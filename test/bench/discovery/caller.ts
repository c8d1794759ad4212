import type { SearchQuery } from '../../../src/call.ts';
import { foldedName, type Page, type Registry, words } from '../../support/simulation/registry.ts';

export interface Bound {
  readonly mostCalls: number;
  /** Stops when this many companies are known. */
  readonly enough: number;
  /** Stops after this many milliseconds. */
  readonly mostMs: number;
}

/** Makes a baseline's calls to a simulated registry, and records how many companies are known after each call. */
export class Caller {
  readonly known: number[] = [];
  readonly #registry: Registry;
  readonly #by: SearchQuery['by'];
  readonly #bound: Bound;
  readonly #untilMs: number;
  readonly #ids = new Set<string>();
  /** The characters known to follow each prefix of a name, or of a word, depending on the query rule. */
  readonly #followers = new Map<string, Set<string>>();

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
    return this.#followers.get(text) ?? [];
  }

  /** Sends a query and returns its total. */
  first(text: string): number {
    return this.#send(text, 0).total ?? 0;
  }

  list(text: string): void {
    if (this.#send(text, 0).more) this.listOn(text);
  }

  /** Requests the pages after the first page. */
  listOn(text: string): void {
    const { pageSize, window } = this.#registry.settings;
    const total = this.#registry.matches({ by: this.#by, text }).length;
    const pages = Math.ceil(Math.min(total, window ?? total) / pageSize);
    for (let page = 1; page < pages && !this.isOver; page++) this.#send(text, page);
  }

  #send(text: string, pageIndex: number): Page {
    const page = this.#registry.search({ by: this.#by, text }, pageIndex);
    for (const { id, name } of page.rows) {
      if (!this.#ids.has(id)) this.#addText(this.#by === 'name' ? name : id);
      this.#ids.add(id);
    }
    this.known.push(this.#ids.size);
    return page;
  }

  #addText(text: string): void {
    const folded = foldedName(text);
    for (const key of this.#registry.settings.semantics === 'prefix' ? [folded] : words(folded)) {
      let prefix = '';
      for (const character of [...key].slice(0, LONGEST)) {
        const followers = this.#followers.get(prefix) ?? new Set();
        this.#followers.set(prefix, followers.add(character));
        prefix += character;
      }
    }
  }
}

const LONGEST = 24;
