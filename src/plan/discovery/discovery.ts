import { FIRST_PAGE, type SearchCall, type SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, ListedCompany, LoadResult, QueryState } from '../../knowledge.ts';
import { comparedText, windowOf } from '../../names/query_matching.ts';
import type { Goal } from '../goal.ts';
import type { Pending } from '../pending.ts';
import { Calibration } from './calibration.ts';
import { IdentifierRule } from './identifier_rule.ts';
import { KeySpace } from './key_space.ts';
import { ListingCap } from './listing_cap.ts';
import type { PageEvidence } from './query_node.ts';
import { QueryRule } from './query_rule.ts';
import { QueryTree } from './query_tree.ts';
import type { RegistryCount } from './registry_unseen.ts';
import { ReportedCounts } from './reported_counts.ts';
import { isTooShort, lengthOf } from './short_queries.ts';
import { ShownCompanies } from './shown_companies.ts';
import { StopRule, stopLimit } from './stop_rule.ts';

/** The query to which discovery is limited. */
export interface QueryScope {
  readonly query: SearchQuery;
  /** Whether the query is a prefix that is split into longer prefixes if its listing is truncated. */
  readonly splits: boolean;
}

/** A key space and the query tree that divides it. */
interface Search {
  readonly keySpace: KeySpace;
  readonly tree: QueryTree;
}

/**
 * Chooses the searches that find the most unseen companies per call. It uses a query tree for names and, if the
 * upstream searches identifiers by prefix, another for identifiers. Discovery ends when no company is missing, or when
 * the stop rule gives up on the missing companies.
 */
export class Discovery implements Goal {
  readonly #knowledge: Knowledge;
  readonly #dialect: Dialect;
  readonly #pending: Pending;
  readonly #scope: QueryScope | null;
  readonly #isRepeated: (search: SearchCall) => boolean;
  readonly #counts: ReportedCounts;
  readonly #shown: ShownCompanies;
  readonly #rule: QueryRule;
  readonly #identifierRule: IdentifierRule;
  readonly #stopRule: StopRule;
  readonly #calibration: Calibration;
  /**
   * The open trees. A tree is opened only if a company may be missing, because opening a tree reads all known
   * companies.
   */
  readonly #searches = new Map<SearchQuery['by'], Search>();
  /** Adds responses to the trees when the next call is chosen. By then, all companies in the same batch are known. */
  readonly #updates: (() => void)[] = [];
  /** The page size in the dialect, or the number of rows on the longest page if that is larger. */
  #pageSize: number;
  readonly #cap = new ListingCap();
  /** Whether searching by identifier prefix might miss the remaining companies. */
  #isOrderDoubtful = false;
  /** Whether totals have been checked for a clamp since a company was last found. */
  #isClampChecked = false;
  /**
   * Whether most companies on the last page were new, and the listing has another page. The registry count is too low if
   * that page has new companies too.
   */
  #isFinding = false;
  /** The registry count when a call was last chosen; null if it was unknown. */
  #total: number | null;

  constructor(options: {
    readonly knowledge: Knowledge;
    readonly dialect: Dialect;
    readonly pending: Pending;
    readonly startedAtMs: number;
    /** Null for the whole registry. With a scope, `knowledge` contains only its companies, and its total as the count. */
    readonly scope?: QueryScope | null;
    /** Returns whether a search repeats a listing to find changes. */
    readonly isRepeated?: (search: SearchCall) => boolean;
  }) {
    const { knowledge, dialect, pending, scope = null, isRepeated = () => false } = options;
    this.#knowledge = knowledge;
    this.#dialect = dialect;
    this.#pending = pending;
    this.#scope = scope;
    this.#isRepeated = isRepeated;
    this.#pageSize = dialect.search.paging.size;
    this.#counts = new ReportedCounts(options);
    this.#shown = new ShownCompanies(knowledge);
    this.#rule = new QueryRule(knowledge, dialect);
    this.#identifierRule = new IdentifierRule(knowledge, dialect);
    this.#stopRule = new StopRule(knowledge);
    this.#calibration = new Calibration(knowledge);
    this.#total = this.#counts.registryCount().total;
  }

  /**
   * Returns the best call, which is then in flight. Returns null if no company is missing, or if discovery has given up
   * on the missing companies.
   */
  next(nowMs: number): SearchCall | null {
    for (const update of this.#updates.splice(0)) update();
    const reported = this.#checked(this.#counts.registryCount());
    if (reported.total !== this.#total) {
      this.#stopRule.reset();
      this.#calibration.reset();
    }
    this.#total = reported.total;
    const registryCount = this.#trusted(reported);
    const call = this.#best(registryCount, nowMs);
    return call === null || registryCount === reported
      ? call
      : { ...call, expected: UNLIKELY * call.expected };
  }

  #best(registryCount: RegistryCount, nowMs: number): SearchCall | null {
    const missing = registryCount.total === null ? null : registryCount.total - this.#knowledge.knownCount();
    if (missing === 0 && !this.#isFinding) return null;
    const trial = this.#tryIdentifierPrefix(registryCount, nowMs);
    if (trial !== null) return trial;
    this.#checkClamp();
    if (missing !== null && this.#isGivenUp(missing, registryCount)) return null;
    for (const by of this.#orderNow(registryCount, nowMs)) {
      const { tree } = this.#searchBy(by, registryCount);
      if (tree.unseenInAll === 0 && !this.#isFinding) return null;
      const call = this.#isGivenUp(tree.unseenInAll, registryCount) ? null : tree.next(nowMs);
      if (call !== null) return call;
      if (this.#pending.inFlightCount('search') > 0) return null;
    }
    return null;
  }

  /**
   * Confirms a count below the number of known companies if it equals the number of existing ones, or the number that
   * listings have shown since then. The other known companies have left the registry.
   */
  #checked(count: RegistryCount): RegistryCount {
    const { total, observedAtMs } = count;
    const isExceeded = total !== null && total < this.#knowledge.knownCount() && this.#scope === null;
    if (!isExceeded) return count;
    const isExplained =
      this.#knowledge.existingCount() === total || this.#shown.since(observedAtMs) === total;
    return isExplained ? { ...count, isConfirmed: true } : count;
  }

  /**
   * Omits a reached count until searches have confirmed it. Statistics can count too few companies, and a listing without a
   * query can lack some, such as dissolved ones. Such a count is rarely too low, so the searches that confirm it come after
   * the due records.
   */
  #trusted(count: RegistryCount): RegistryCount {
    const known = this.#knowledge.knownCount();
    const isReached = count.total !== null && count.total <= known;
    const isCertain = count.isConfirmed === true || this.#dialect.search.query_param === null;
    if (!isReached || isCertain || this.#isFinding || this.#scope !== null) return count;
    return this.#stopRule.isCountChecked(known) ? count : { ...count, total: null };
  }

  /** Returns how many calls read the rest of a planned search's listing, to its end or to the cap. */
  callsFor({ query }: SearchCall): number {
    return this.#searches.get(query.by)?.tree.callsFor(query) ?? 1;
  }

  /** Learns from a result. A repeated listing without a new company shows nothing about searches for missing companies. */
  learn(result: LoadResult): void {
    const { call, query, rows } = result;
    this.#shown.learn(result);
    const found = rows.filter(({ isNew }) => isNew);
    const isTrial =
      call.kind === 'search' && call.query.by === 'identifier' && this.#identifierRule.isUnknown;
    for (const { keySpace, tree } of this.#searches.values()) {
      const texts = found.map((row) => comparedText(row, keySpace.by));
      for (const text of texts) keySpace.add(text);
      const isOther = call.kind !== 'search' || call.query.by !== keySpace.by;
      if (isOther && texts.length > 0) tree.addFound(texts);
    }
    if (call.kind !== 'search') return;
    if (query !== null) this.#counts.recordResponse(query);
    if (query !== null && (found.length > 0 || !(isTrial || this.#isRepeated(call)))) {
      const before = this.#knowledge.knownCount() - found.length;
      const isReached = before >= (this.#total ?? Infinity);
      this.#stopRule.record({ found: found.length, expected: call.expected, isReached });
    }
    if (found.length > 0) this.#isClampChecked = false;
    this.#isFinding = query?.status === 'open' && 2 * found.length > rows.length;
    if (isTrial && query !== null && this.#identifierRule.learn(query, rows)) this.#stopRule.reset();
    const search = this.#searches.get(call.query.by);
    if (search === undefined) return;
    const { tree } = search;
    if (query === null) {
      this.#updates.push(() => tree.reconsider(call.query));
      return;
    }
    if (this.#learnRule(search.keySpace, result)) return;
    if (this.#isTooShort(search.keySpace, query, () => this.#states())) {
      this.#searches.delete(call.query.by);
      return;
    }
    const before = this.#window;
    this.#cap.record(query);
    if (this.#window !== before || (query.pages === 1 && query.rows > this.#pageSize)) {
      this.#searches.clear();
      return;
    }
    const state = this.#counts.withUsableTotal(query);
    const page = pageEvidence(search.keySpace, call.query.text, rows);
    this.#updates.push(() => tree.recordResponse(state, page));
  }

  /** Makes an unsent call's query a candidate again. */
  release(call: SearchCall): void {
    this.#searches.get(call.query.by)?.tree.reconsider(call.query);
  }

  /**
   * Looks for an undocumented clamp of totals after some searches without a new company. If there is one, the trees are
   * opened again without the clamped totals.
   */
  #checkClamp(): void {
    if (this.#isClampChecked || this.#stopRule.emptySearches < SEARCHES_BEFORE_DOUBT) return;
    this.#isClampChecked = true;
    const knownBy = ({ by, text }: SearchQuery) => this.#searches.get(by)?.keySpace.known(text) ?? 0;
    if (!this.#counts.inferClamp(knownBy)) return;
    this.#searches.clear();
  }

  /**
   * Returns a search that shows whether identifiers are searched by prefix, or null if none is needed now. It is not
   * needed while the empty query can list every company.
   */
  #tryIdentifierPrefix(registryCount: RegistryCount, nowMs: number): SearchCall | null {
    if (this.#scope !== null || !this.#identifierRule.isUnknown) return null;
    const { tree } = this.#searchBy('name', registryCount);
    const isNeeded = tree.unseenInAll > 0 && !(this.#counts.isListingOfAllOpen && tree.canListAll);
    const trial = isNeeded ? this.#identifierRule.trial : null;
    if (trial === null) return null;
    const call: SearchCall = {
      kind: 'search',
      query: { by: 'identifier', text: trial.text },
      page: FIRST_PAGE,
      reason: 'shows whether identifiers are searched by prefix',
      expected: Math.min(trial.share * tree.unseenInAll, this.#dialect.search.paging.size),
    };
    return this.#pending.reserve(call, nowMs) ? call : null;
  }

  /**
   * Infers the query rule if it is unknown, and returns whether the inferred rule changed. After a change, the name
   * tree is dropped, so that it is opened again with the new rule.
   */
  #learnRule(keySpace: KeySpace, { query, rows }: LoadResult): boolean {
    if (!this.#rule.isUnknown || keySpace.by !== 'name' || query === null) return false;
    const names = rows.map((row) => comparedText(row, 'name'));
    if (!this.#rule.learn(keySpace, query, names)) return false;
    this.#searches.delete('name');
    return true;
  }

  /**
   * The default order of the trees. Identifiers come first, because their prefixes partition the registry. Names then
   * find the companies that no identifier prefix reaches. A scope is searched like its query.
   */
  get #order(): readonly SearchQuery['by'][] {
    if (this.#scope !== null) return [this.#scope.query.by];
    return this.#identifierRule.isPrefix ? ['identifier', 'name'] : ['name'];
  }

  /**
   * Names come first while the empty query's yield is at least that of the best identifier prefix. Once 20 searches in
   * a row have found nothing, names also come first if the best name query's yield is at least four times that of the
   * best identifier prefix.
   */
  #orderNow(registryCount: RegistryCount, nowMs: number): readonly SearchQuery['by'][] {
    if (this.#order.length > 1 && this.#isEmptyQueryFirst(registryCount, nowMs))
      return this.#order.toReversed();
    if (this.#stopRule.emptySearches >= DOUBTFUL_SEARCHES) this.#isOrderDoubtful = true;
    if (this.#order.length === 1 || !this.#isOrderDoubtful) return this.#order;
    const [one, other] = this.#order.map((by) => ({
      by,
      bestYield: this.#searchBy(by, registryCount).tree.bestYield,
    }));
    if (one === undefined || other === undefined || other.bestYield < DOUBTFUL_RATIO * one.bestYield)
      return this.#order;
    return [other.by, one.by];
  }

  #isEmptyQueryFirst(registryCount: RegistryCount, nowMs: number): boolean {
    if (!this.#counts.isListingOfAllOpen) return false;
    const { tree } = this.#searchBy('name', registryCount);
    if (tree.isListingAll) return true;
    const emptyQueryYield = tree.emptyQueryYield(nowMs);
    return (
      emptyQueryYield > 0 && emptyQueryYield >= this.#searchBy('identifier', registryCount).tree.bestYield
    );
  }

  /**
   * Returns whether discovery has given up on the missing companies as unreachable. Until every common character of a
   * script with thousands of characters has been sent, the limit is at least the number of known companies.
   */
  #isGivenUp(missing: number, registryCount: RegistryCount): boolean {
    // The user wants every company in a scope, so hopeless searches do not end its search.
    const least = this.#scope === null ? 0 : stopLimit(missing);
    if (missing <= 0 || !this.#stopRule.isOver({ missing, minSearches: least })) return false;
    const minSearches = Math.max(least, this.#knowledge.knownCount());
    if (this.#stopRule.isOver({ missing, minSearches })) return true;
    const { tree } = this.#searchBy(this.#scope?.query.by ?? 'name', registryCount);
    return !tree.isInventoryOpen;
  }

  #searchBy(by: SearchQuery['by'], registryCount: RegistryCount): Search {
    const search = this.#searches.get(by) ?? this.#open(by);
    search.tree.setRegistryCount(registryCount);
    return search;
  }

  #states(): QueryState[] {
    return [...this.#knowledge.queries()];
  }

  /** The maximum number of rows in one query's listing: the dialect's cap or, if it is lower, the observed one. */
  get #window(): number {
    return Math.min(windowOf(withPageSize(this.#dialect, this.#pageSize)), this.#cap.rows);
  }

  #open(by: SearchQuery['by']): Search {
    const sent = this.#states().filter(({ query }) => query.by === by);
    const anyLength = this.#keySpaceBy(by, sent);
    const tooShort = sent
      .filter((state) => this.#isTooShort(anyLength, state, () => sent))
      .map(({ query }) => lengthOf(query));
    const minLength = Math.max(this.#dialect.search.min_length, ...tooShort.map((length) => length + 1));
    for (const state of sent) {
      if (state.pages === 1) this.#pageSize = Math.max(this.#pageSize, state.rows);
      this.#cap.record(state);
    }
    const scope = this.#scope?.query.text ?? '';
    const isLongEnough = ({ query }: QueryState) => query.text === scope || lengthOf(query) >= minLength;
    const states = sent.filter(isLongEnough);
    const keySpace = tooShort.length === 0 ? anyLength : this.#keySpaceOf(by, minLength);
    const tree = new QueryTree({
      keySpace,
      limits: { pageSize: this.#pageSize, window: this.#window },
      pending: this.#pending,
      calibration: this.#calibration,
      listsAll: this.#scope !== null || (by === 'name' && this.#counts.listsAll),
      hasQueries: this.#scope?.splits ?? (by === 'identifier' || this.#dialect.search.query_param !== null),
      scope,
    });
    const search = { keySpace, tree };
    this.#searches.set(by, search);
    tree.setRegistryCount(this.#counts.registryCount());
    tree.start(states.map((state) => this.#counts.withUsableTotal(state)));
    return search;
  }

  /**
   * Opens the key space. An unknown query rule is first inferred from earlier responses, using a key space for the
   * assumed rule.
   */
  #keySpaceBy(by: SearchQuery['by'], states: readonly QueryState[]): KeySpace {
    const { semantics } = this.#rule;
    const keySpace = this.#keySpaceOf(by);
    if (by === 'identifier' || !this.#rule.isUnknown) return keySpace;
    for (const state of states) this.#rule.addState(keySpace, state);
    return this.#rule.semantics === semantics ? keySpace : this.#keySpaceOf(by);
  }

  #isTooShort(keySpace: KeySpace, state: QueryState, sent: () => Iterable<QueryState>): boolean {
    const { isUnknown, semantics } = this.#rule;
    return isTooShort(state, { keySpace, semantics: isUnknown ? null : semantics, sent });
  }

  #keySpaceOf(by: SearchQuery['by'], minLength: number = this.#dialect.search.min_length): KeySpace {
    return new KeySpace(by, this.#rule.semantics, minLength, this.#knowledge);
  }
}

function withPageSize(dialect: Dialect, size: number): Dialect {
  const { search } = dialect;
  return { ...dialect, search: { ...search, paging: { ...search.paging, size } } };
}

/** Compares a page with the companies known before it, after the key space has learned from the page. */
function pageEvidence(keySpace: KeySpace, query: string, rows: readonly ListedCompany[]): PageEvidence {
  const companies = rows.map((row) => comparedText(row, keySpace.by));
  keySpace.observe(query, companies);
  return {
    rows: rows.length,
    new: rows.filter(({ isNew }) => isNew).length,
    matching: companies.filter((company) => keySpace.matches(query, company)).length,
  };
}

/** The probability that companies are missing although the known companies reach the statistics' count. */
const UNLIKELY = 0.001;
const SEARCHES_BEFORE_DOUBT = 10;
const DOUBTFUL_SEARCHES = 20;
const DOUBTFUL_RATIO = 4;
