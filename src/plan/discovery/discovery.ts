import type { SearchCall, SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import { folded } from '../folding.ts';
import type { Knowledge, News, NewsRow, QueryState } from '../knowledge.ts';
import { foldedIdentifier, type Semantics, semanticsOf, windowOf } from '../matching.ts';
import type { Pending } from '../pending.ts';
import type { Field } from './field.ts';
import { GapTree } from './gap_tree.ts';
import type { PageSeen } from './node.ts';
import { TextField } from './text_field.ts';
import { WordField } from './word_field.ts';

/** A field, and the tree of what was asked of it. */
interface Searched {
  readonly field: Field;
  readonly tree: GapTree;
}

/** Which searches to make: a tree over identifiers where they can be searched by prefix, and one over names. */
export class Discovery {
  readonly #knowledge: Knowledge;
  readonly #pending: Pending;
  readonly #totalClampedAt: number;
  readonly #identifiers: Searched | null;
  readonly #names: Searched;
  /** Searches in a row that found nothing new, since the registry's own count last changed. */
  #inVain: number;
  #total: number | null;
  /** All that is known was read: not before something may be missing. */
  #isOpen = false;

  constructor(options: {
    readonly knowledge: Knowledge;
    readonly dialect: Dialect;
    readonly pending: Pending;
  }) {
    const { knowledge, dialect, pending } = options;
    const { search } = dialect;
    const { paging, min_length: minLength } = search;
    const limits = { pageSize: paging.size, window: windowOf(dialect) };
    this.#knowledge = knowledge;
    this.#pending = pending;
    this.#totalClampedAt = search.total_clamped_at ?? Number.POSITIVE_INFINITY;
    const searched = (field: Field): Searched => ({ field, tree: new GapTree(field, limits, pending) });
    this.#names = searched(nameField(semanticsOf(dialect), minLength));
    this.#identifiers =
      search.identifiers === 'prefix' ? searched(new TextField('identifier', 'prefix', minLength)) : null;
    this.#inVain = knowledge.searchesInVain();
    this.#total = this.#census().total;
  }

  next(nowMs: number, most: number): SearchCall[] {
    const census = this.#census();
    if (census.total !== this.#total) this.#inVain = 0;
    this.#total = census.total;
    if (census.total !== null && this.#isOver(census.total - this.#knowledge.knownCount())) return [];
    this.#open();
    const first = this.#identifiers?.tree;
    first?.counted(census);
    this.#names.tree.counted(census);
    if (this.#isOver(this.#names.tree.missing)) return [];
    const calls = first?.next({ nowMs, most }) ?? [];
    // Identifiers split a registry into parts that never overlap; names come in when they cannot reach the rest.
    if (calls.length > 0 || (first !== undefined && this.#pending.inFlightCount('search') > 0)) return calls;
    return this.#names.tree.next({ nowMs, most });
  }

  learn(news: News): void {
    if (this.#isOpen) for (const row of news.rows) if (row.isNew) this.#see(row.entityId, row.name);
    if (news.call.kind !== 'search') return;
    const isAnswered = news.query !== null && (news.verdict === 'ok' || news.verdict === 'refused');
    if (isAnswered) this.#inVain = news.rows.some(({ isNew }) => isNew) ? 0 : this.#inVain + 1;
    const searched = this.#searched(news.call);
    if (searched === null || !this.#isOpen) return;
    const { query } = news.call;
    if (isAnswered) searched.tree.answered(this.#heard(news.query), this.#pageOf(searched, query, news.rows));
    else searched.tree.reconsider(query);
  }

  /** Nothing is missing, or it may be out of reach: the more it is, the longer it is looked for. */
  #isOver(missing: number): boolean {
    if (missing === 0) return true;
    return missing > 0 && this.#inVain >= PATIENCE + PATIENCE_FOR_EACH * Math.sqrt(missing);
  }

  release(call: SearchCall): void {
    if (this.#isOpen) this.#searched(call)?.tree.reconsider(call.query);
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const { entityId, name } of this.#knowledge.knownCompanies()) this.#see(entityId, name);
    const states = [...this.#knowledge.queries()].map((state) => this.#heard(state));
    const { byName = [], byIdentifier = [] } = Object.groupBy(states, ({ query }) =>
      query.by === 'name' ? 'byName' : 'byIdentifier',
    );
    const census = this.#census();
    for (const [searched, stored] of [
      [this.#names, byName],
      [this.#identifiers, byIdentifier],
    ] as const) {
      searched?.tree.counted(census);
      searched?.tree.start(stored);
    }
  }

  #census() {
    return this.#knowledge.latestStats() ?? { total: null, observedAtMs: 0 };
  }

  #searched({ query }: SearchCall): Searched | null {
    return query.by === 'name' ? this.#names : this.#identifiers;
  }

  /** A clamped total says "at least": as good as none. */
  #heard(state: QueryState): QueryState {
    const isClamped = state.total !== null && state.total >= this.#totalClampedAt;
    return isClamped ? { ...state, total: null } : state;
  }

  /** What a page showed, beside what was known before it. */
  #pageOf({ field }: Searched, { text }: SearchQuery, rows: readonly NewsRow[]): PageSeen {
    const companies = rows.map(({ entityId, name }) =>
      field.by === 'name' ? folded(name ?? '') : foldedIdentifier(entityId),
    );
    field.observe(text, companies);
    return {
      rows: rows.length,
      new: rows.filter(({ isNew }) => isNew).length,
      fitting: companies.filter((company) => field.finds(text, company)).length,
    };
  }

  #see(entityId: string, name: string | null): void {
    this.#names.field.see(folded(name ?? ''));
    this.#identifiers?.field.see(foldedIdentifier(entityId));
  }
}

const PATIENCE = 120;
const PATIENCE_FOR_EACH = 10;

function nameField(semantics: Semantics, minLength: number): Field {
  return semantics === 'prefix' || semantics === 'substring'
    ? new TextField('name', semantics, minLength)
    : new WordField(semantics, minLength);
}
