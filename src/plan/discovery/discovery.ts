import type { SearchCall, SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, News, NewsRow, QueryState } from '../knowledge.ts';
import { comparedText, semanticsOf, windowOf } from '../matching.ts';
import type { Pending } from '../pending.ts';
import { countOfAll, isOfAll, listingOfAll } from '../registry_size.ts';
import type { Field } from './field.ts';
import { GapTree } from './gap_tree.ts';
import type { Census } from './gaps.ts';
import type { PageSeen } from './node.ts';
import { Patience } from './patience.ts';
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
  readonly #dialect: Dialect;
  readonly #pending: Pending;
  readonly #startedAtMs: number;
  /** Identifiers split a registry into parts that never overlap; names come in where they do not reach the rest. */
  readonly #order: readonly SearchQuery['by'][];
  /** What is known is looked at only when something may be missing. */
  readonly #searched = new Map<SearchQuery['by'], Searched>();
  /** What answers taught the trees is weighed with the next choice: all that was loaded with them has been seen by then. */
  readonly #heard: (() => void)[] = [];
  readonly #patience: Patience;
  /** Identifiers may not reach the rest. */
  #isOrderDoubted = false;
  /** After the rest was given up, may listings still hold some of it? null: not looked at yet. */
  #isListingLeft: boolean | null = null;
  /** Of the listing of everything; null: it was not asked, or there is none. */
  #everything: QueryState | null;
  #total: number | null;

  constructor(options: {
    readonly knowledge: Knowledge;
    readonly dialect: Dialect;
    readonly pending: Pending;
    readonly startedAtMs: number;
  }) {
    const { knowledge, dialect, pending } = options;
    this.#startedAtMs = options.startedAtMs;
    this.#knowledge = knowledge;
    this.#dialect = dialect;
    this.#pending = pending;
    this.#order = dialect.search.identifiers === 'prefix' ? ['identifier', 'name'] : ['name'];
    this.#patience = new Patience(knowledge);
    this.#everything = listingOfAll(knowledge.queries(), dialect);
    this.#total = this.#census().total;
  }

  next(nowMs: number, most: number): SearchCall[] {
    for (const tell of this.#heard.splice(0)) tell();
    const census = this.#census();
    if (census.total !== this.#total) this.#patience.renew();
    this.#total = census.total;
    const missing = census.total === null ? null : census.total - this.#knowledge.knownCount();
    if (missing === 0 || (missing !== null && this.#isGivenUp(missing) && !this.#mayListOn())) return [];
    for (const by of this.#orderNow(census, nowMs)) {
      const { tree } = this.#searchedBy(by, census);
      if (tree.missing === 0) return [];
      const isGivenUp = this.#isGivenUp(tree.missing);
      const calls = isGivenUp ? tree.listOn({ nowMs, most }) : tree.next({ nowMs, most });
      if (calls.length > 0 || this.#pending.inFlightCount('search') > 0) return calls;
    }
    this.#isListingLeft = false;
    return [];
  }

  learn(news: News): void {
    const found = news.rows.filter(({ isNew }) => isNew);
    if (found.length > 0 || news.call.kind === 'search') this.#isListingLeft = true;
    for (const { field, tree } of this.#searched.values()) {
      const texts = found.map((row) => comparedText(row, field.by));
      for (const text of texts) field.see(text);
      const isOther = news.call.kind !== 'search' || news.call.query.by !== field.by;
      if (isOther && texts.length > 0) tree.seen(texts);
    }
    if (news.call.kind !== 'search') return;
    if (news.query !== null && isOfAll(news.query) && this.#listsAll) this.#everything = news.query;
    const isAnswered = news.query !== null && (news.verdict === 'ok' || news.verdict === 'refused');
    if (isAnswered) this.#patience.answered(found.length > 0);
    const { query } = news.call;
    const searched = this.#searched.get(query.by);
    if (searched === undefined) return;
    const { tree } = searched;
    if (isAnswered) {
      const state = this.#stated(news.query);
      const page = this.#pageOf(searched, query, news.rows);
      this.#heard.push(() => tree.answered(state, page));
    } else this.#heard.push(() => tree.reconsider(query));
  }

  get #listsAll(): boolean {
    return this.#dialect.search.min_length === 0;
  }

  /**
   * The listing of everything comes first where its next page promises as much as the best identifier. Once some searches
   * in a row have found nothing, so does what promises far more.
   */
  #orderNow(census: Census, nowMs: number): readonly SearchQuery['by'][] {
    if (this.#order.length > 1 && this.#isAllFirst(census, nowMs)) return this.#order.toReversed();
    if (this.#patience.inVain >= SOME_IN_VAIN) this.#isOrderDoubted = true;
    if (this.#order.length === 1 || !this.#isOrderDoubted) return this.#order;
    const [one, other] = this.#order.map((by) => ({
      by,
      promise: this.#searchedBy(by, census).tree.promise,
    }));
    if (one === undefined || other === undefined || other.promise < FAR_MORE * one.promise)
      return this.#order;
    return [other.by, one.by];
  }

  #isAllFirst(census: Census, nowMs: number): boolean {
    const status = this.#everything?.status ?? 'open';
    if (!this.#listsAll || status !== 'open') return false;
    const { tree } = this.#searchedBy('name', census);
    if (tree.isReadingAll) return true;
    const promise = tree.promiseOfAll(nowMs);
    return promise > 0 && promise >= this.#searchedBy('identifier', census).tree.promise;
  }

  #mayListOn(): boolean {
    this.#isListingLeft ??= [...this.#knowledge.queries()].some((state) =>
      isReadable(this.#stated(state), this.#dialect),
    );
    return this.#isListingLeft;
  }

  /** What is missing may be out of reach: it is searched for no longer. */
  #isGivenUp(missing: number): boolean {
    return missing > 0 && this.#patience.isOver(missing);
  }

  release(call: SearchCall): void {
    this.#searched.get(call.query.by)?.tree.reconsider(call.query);
  }

  #searchedBy(by: SearchQuery['by'], census: Census): Searched {
    const searched = this.#searched.get(by) ?? this.#open(by);
    searched.tree.counted(census);
    return searched;
  }

  #open(by: SearchQuery['by']): Searched {
    const { search } = this.#dialect;
    const limits = { pageSize: search.paging.size, window: windowOf(this.#dialect) };
    const field = fieldOf(by, this.#dialect, this.#knowledge);
    const searched = {
      field,
      tree: new GapTree(field, limits, this.#pending, by === 'name' && this.#listsAll),
    };
    this.#searched.set(by, searched);
    const states = [...this.#knowledge.queries()].filter(({ query }) => query.by === by);
    searched.tree.counted(this.#census());
    searched.tree.start(states.map((state) => this.#stated(state)));
    return searched;
  }

  /** By its statistics, or else by its listing of everything. */
  #census(): Census {
    const { total, observedAtMs } = this.#latestCensus();
    return { total, observedAtMs: this.#inRun(observedAtMs) };
  }

  #latestCensus(): Census {
    const stats = this.#knowledge.latestStats() ?? { total: null, observedAtMs: 0 };
    if (stats.total !== null || this.#everything === null) return stats;
    const total = countOfAll(this.#everything, this.#dialect);
    return total === null ? stats : { total, observedAtMs: this.#everything.listedAtMs };
  }

  /** A clamped total says "at least": as good as none. */
  #stated(state: QueryState): QueryState {
    const clampedAt = this.#dialect.search.total_clamped_at ?? Number.POSITIVE_INFINITY;
    const isClamped = state.total !== null && state.total >= clampedAt;
    const listedAtMs = this.#inRun(state.listedAtMs);
    return { ...state, total: isClamped ? null : state.total, listedAtMs };
  }

  /** All responses of a run count as received at its start: none makes another one out of date. */
  #inRun(receivedAtMs: number): number {
    return Math.min(receivedAtMs, this.#startedAtMs);
  }

  /** What a page showed, beside what was known before it. */
  #pageOf({ field }: Searched, { text }: SearchQuery, rows: readonly NewsRow[]): PageSeen {
    const companies = rows.map((row) => comparedText(row, field.by));
    field.observe(text, companies);
    return {
      rows: rows.length,
      new: rows.filter(({ isNew }) => isNew).length,
      fitting: companies.filter((company) => field.finds(text, company)).length,
    };
  }
}

function fieldOf(by: SearchQuery['by'], dialect: Dialect, knowledge: Knowledge): Field {
  const { min_length: minLength } = dialect.search;
  const semantics = semanticsOf(dialect);
  if (by === 'identifier' || semantics === 'prefix') return TextField.byBeginning(by, minLength, knowledge);
  if (semantics === 'substring') return TextField.byPart(minLength, knowledge);
  return new WordField(semantics, minLength, knowledge);
}

/** Is there more of it, that can be read to its end? */
function isReadable({ status, total, rows }: QueryState, dialect: Dialect): boolean {
  return status === 'open' && total !== null && total <= windowOf(dialect) && rows < total;
}

const SOME_IN_VAIN = 20;
const FAR_MORE = 4;
