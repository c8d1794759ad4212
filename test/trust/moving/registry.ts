import type { Call } from '../../../src/call.ts';
import { Dialect } from '../../../src/dialect/dialect.ts';
import { endpointsOf, urlOf } from '../../../src/dialect/request.ts';
import type { Random } from '../../../src/random.ts';

/** The paging styles, and whether the position of a page depends on the rows before it. */
export const STYLES = ['page', 'offset', 'cursor', 'next_url', 'link_header'] as const;
export type Style = (typeof STYLES)[number];

export interface Company {
  readonly id: string;
  readonly name: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const ORIGIN = 'http://registry.test';
const ENDPOINTS = endpointsOf({ base_url: `${ORIGIN}/api` });

export function dialectFor(style: Style, size: number): Dialect {
  const pagings = {
    page: { style, param: 'page', first: 1, size },
    offset: { style, param: 'start', size },
    cursor: { style, param: 'after', next: '/next', size },
    next_url: { style, next: '/next', size },
    link_header: { style, size },
  };
  return Dialect.parse({
    search: {
      query_param: 'q',
      paging: pagings[style],
      results: '/results',
      id: '/id',
      name: '/name',
      total: '/total',
      matches: 'prefix',
      min_length: 0,
    },
    entity: { id: '/id', name: '/name' },
    stats: { total: '/companies' },
  });
}

/** A registry whose list changes between two calls. All pages are positions in the current list. */
export class MovingRegistry {
  readonly #style: Style;
  readonly #size: number;
  readonly #dialect: Dialect;
  readonly #random: Random;
  #list: Company[];
  #added = 0;
  #emptyPages = 0;
  /** A page that is empty twice in a row is believed, so no search fails directly after another one. */
  #wasEmpty = false;
  calls = 0;
  searches = 0;

  constructor(style: Style, size: number, count: number, random: Random) {
    this.#style = style;
    this.#size = size;
    this.#dialect = dialectFor(style, size);
    this.#random = random;
    this.#list = Array.from({ length: count }, () => this.#create());
  }

  get living(): readonly Company[] {
    return this.#list;
  }

  /** Makes one random change: a deletion, an insertion, a move, or a search that fails with an empty page. */
  change(): void {
    const at = this.#random.below(this.#list.length);
    const kind = this.#random.below(8);
    if (kind < 4 && this.#list.length > 3)
      this.#list.splice(at, this.#random.chance(0.1) ? 1 + this.#size : 1);
    else if (kind < 6) this.#list.splice(at, 0, this.#create());
    else if (kind === 6) {
      const [moved] = this.#list.splice(at, 1);
      if (moved !== undefined) this.#list.splice(this.#random.below(this.#list.length + 1), 0, moved);
    } else if (!this.#wasEmpty) this.#emptyPages = 1;
  }

  respond(call: Call): Reply {
    this.calls += 1;
    if (call.kind === 'search') this.searches += 1;
    const url = urlOf(ENDPOINTS, this.#dialect, call);
    if (!(url instanceof URL)) throw new Error(url.why);
    if (call.kind === 'stats') return reply({ companies: this.#list.length });
    if (call.kind === 'search') return this.#page(url);
    const found = this.#list.find(({ id }) => id === call.entityId);
    return found === undefined ? reply({ error: 'not_found' }, 404) : reply(found);
  }

  #page(url: URL): Reply {
    const query = url.searchParams.get('q') ?? '';
    const matches = this.#list.filter(({ name }) => name.startsWith(query));
    const from = this.#fromOf(url);
    const isEmpty = this.#emptyPages > 0 && from > 0;
    if (isEmpty) this.#emptyPages -= 1;
    this.#wasEmpty = isEmpty;
    const results = isEmpty ? [] : matches.slice(from, from + this.#size);
    const next = from + this.#size < matches.length && !isEmpty ? from + this.#size : null;
    const nextUrl = next === null ? null : `${ORIGIN}/api/search?q=${query}&from=${next}`;
    const link = this.#style === 'next_url' ? nextUrl : next === null ? null : String(next);
    const headers =
      this.#style === 'link_header' && nextUrl !== null ? { link: `<${nextUrl}>; rel="next"` } : {};
    return reply({ total: matches.length, results, next: link }, 200, headers);
  }

  #fromOf({ searchParams }: URL): number {
    const page = searchParams.get('page');
    if (page !== null) return (Number(page) - 1) * this.#size;
    return Number(searchParams.get('start') ?? searchParams.get('after') ?? searchParams.get('from') ?? 0);
  }

  #create(): Company {
    this.#added += 1;
    const letters = Array.from({ length: 6 }, () => String.fromCharCode(97 + this.#random.below(26))).join(
      '',
    );
    return { id: `C${this.#added}`, name: `${letters} ${this.#added}` };
  }
}

function reply(json: object, status = 200, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(json)),
  };
}
