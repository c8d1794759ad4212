import type { SearchCall, SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, ListedCompany, LoadResult, QueryState } from '../../knowledge.ts';
import { wordsOf } from '../../names/folding.ts';
import { afterAll } from '../../names/ordered_texts.ts';
import { comparedText, type Semantics, semanticsOf, windowOf } from '../../names/query_matching.ts';
import type { Pending } from '../pending.ts';
import { countOfAll, isOfAll, listingOfAll } from '../registry_size.ts';
import { FirstLooks } from './first_looks.ts';
import type { KeySpace } from './key_space.ts';
import type { PageSeen } from './query_node.ts';
import { QueryTree } from './query_tree.ts';
import { RuleEvidence } from './rule_evidence.ts';
import { StopRule } from './stop_rule.ts';
import { TextKeySpace } from './text_key_space.ts';
import type { RegistryCount } from './unseen_counts.ts';
import { WordKeySpace } from './word_key_space.ts';

/** A field, and the tree of what was asked of it. */
interface Searched {
  readonly keySpace: KeySpace;
  readonly tree: QueryTree;
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
  readonly #stopRule: StopRule;
  /** null: not needed yet. */
  #firstLooks: FirstLooks | null = null;
  readonly #ruleEvidence = new RuleEvidence();
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
    this.#stopRule = new StopRule(knowledge);
    this.#everything = listingOfAll(knowledge.queries(), dialect);
    this.#total = this.#registryCount().total;
  }

  next(nowMs: number, most: number): SearchCall[] {
    for (const tell of this.#heard.splice(0)) tell();
    const registryCount = this.#registryCount();
    if (registryCount.total !== this.#total) this.#stopRule.renew();
    this.#total = registryCount.total;
    const missing = registryCount.total === null ? null : registryCount.total - this.#knowledge.knownCount();
    if (missing === 0) return [];
    if (missing !== null && this.#isGivenUp(missing, registryCount) && !this.#mayListOn())
      return this.#firstCharacters(registryCount, { nowMs, most });
    for (const by of this.#orderNow(registryCount, nowMs)) {
      const { tree } = this.#searchedBy(by, registryCount);
      if (tree.unseenInAll === 0) return [];
      const first = this.#stopRule.isHalfOver(tree.unseenInAll)
        ? this.#firstCharacters(registryCount, { nowMs, most })
        : [];
      if (first.length > 0) return first;
      const isGivenUp = this.#isGivenUp(tree.unseenInAll, registryCount);
      const calls = isGivenUp ? tree.listOn({ nowMs, most }) : tree.next({ nowMs, most });
      if (calls.length > 0 || this.#pending.inFlightCount('search') > 0) return calls;
    }
    this.#isListingLeft = false;
    return this.#firstCharacters(registryCount, { nowMs, most });
  }

  /** Calls for the due first characters that were not sent yet. */
  #firstCharacters(
    registryCount: RegistryCount,
    ask: { readonly nowMs: number; readonly most: number },
  ): SearchCall[] {
    const { due } = this.#looks;
    return due.length === 0 ? [] : this.#searchedBy('name', registryCount).tree.look(due, ask);
  }

  get #looks(): FirstLooks {
    this.#firstLooks ??= new FirstLooks(this.#knowledge, this.#dialect);
    return this.#firstLooks;
  }

  learn(result: LoadResult): void {
    const found = result.rows.filter(({ isNew }) => isNew);
    const isApart = result.call.kind === 'search' && this.#firstLooks?.isApart(result.call.query.text);
    this.#look(result, found);
    if (found.length > 0 || result.call.kind === 'search') this.#isListingLeft = true;
    for (const { keySpace, tree } of this.#searched.values()) {
      const texts = found.map((row) => comparedText(row, keySpace.by));
      for (const text of texts) keySpace.see(text);
      const isOther = result.call.kind !== 'search' || result.call.query.by !== keySpace.by;
      if (isOther && texts.length > 0) tree.seen(texts);
    }
    if (result.call.kind !== 'search') return;
    if (result.query !== null && isOfAll(result.query) && this.#listsAll) this.#everything = result.query;
    const isAnswered = result.query !== null && (result.verdict === 'ok' || result.verdict === 'refused');
    if (isAnswered && (found.length > 0 || !isApart)) this.#stopRule.answered(found.length > 0);
    const { query } = result.call;
    const searched = this.#searched.get(query.by);
    if (searched === undefined) return;
    const { tree } = searched;
    if (isAnswered && this.#learnRule(searched.keySpace, result)) return;
    if (isAnswered) {
      const state = this.#stated(result.query);
      const page = this.#pageOf(searched, query, result.rows);
      this.#heard.push(() => tree.answered(state, page));
    } else this.#heard.push(() => tree.reconsider(query));
  }

  /** Did the response show another query rule? Then the next choice opens a tree by the new rule. */
  #learnRule(keySpace: KeySpace, { query, rows }: LoadResult): boolean {
    if (!this.#isRuleUnknown || keySpace.by !== 'name' || query === null) return false;
    const before = this.#semantics;
    this.#ruleEvidence.showed(
      query.query.text,
      rows.map((row) => comparedText(row, 'name')),
    );
    this.#judgeRule(keySpace, query);
    if (this.#semantics === before) return false;
    this.#searched.delete('name');
    return true;
  }

  #look({ call, query, rows }: LoadResult, found: readonly ListedCompany[]): void {
    if (this.#firstLooks === null) return;
    for (const row of found) this.#firstLooks.see(comparedText(row, 'name'));
    if (call.kind !== 'search' || call.query.by !== 'name') return;
    const names = rows.map((row) => comparedText(row, 'name'));
    if (query !== null) this.#firstLooks.answered(query, names);
  }

  get #listsAll(): boolean {
    return this.#dialect.search.min_length === 0;
  }

  /**
   * The listing of everything comes first where its next page promises as much as the best identifier. Once some searches
   * in a row have found nothing, so does what promises far more.
   */
  #orderNow(registryCount: RegistryCount, nowMs: number): readonly SearchQuery['by'][] {
    if (this.#order.length > 1 && this.#isAllFirst(registryCount, nowMs)) return this.#order.toReversed();
    if (this.#stopRule.inVain >= SOME_IN_VAIN) this.#isOrderDoubted = true;
    if (this.#order.length === 1 || !this.#isOrderDoubted) return this.#order;
    const [one, other] = this.#order.map((by) => ({
      by,
      promise: this.#searchedBy(by, registryCount).tree.promise,
    }));
    if (one === undefined || other === undefined || other.promise < FAR_MORE * one.promise)
      return this.#order;
    return [other.by, one.by];
  }

  #isAllFirst(registryCount: RegistryCount, nowMs: number): boolean {
    const status = this.#everything?.status ?? 'open';
    if (!this.#listsAll || status !== 'open') return false;
    const { tree } = this.#searchedBy('name', registryCount);
    if (tree.isReadingAll) return true;
    const promise = tree.promiseOfAll(nowMs);
    return promise > 0 && promise >= this.#searchedBy('identifier', registryCount).tree.promise;
  }

  #mayListOn(): boolean {
    this.#isListingLeft ??= [...this.#knowledge.queries()].some((state) =>
      isReadable(this.#stated(state), this.#dialect),
    );
    return this.#isListingLeft;
  }

  /**
   * Missing companies may be out of reach: the search for them ends. If names use a script of thousands of characters, as
   * many searches in a row as known companies may find nothing, until every common character was sent.
   */
  #isGivenUp(missing: number, registryCount: RegistryCount): boolean {
    if (missing <= 0 || !this.#stopRule.isOver(missing)) return false;
    const semantics = this.#semantics;
    if (registryCount.total === null || (semantics !== 'prefix' && semantics !== 'token_prefix')) return true;
    if (this.#stopRule.isOver(missing, this.#knowledge.knownCount()) || !this.#looks.isOfThousands)
      return true;
    return !this.#searchedBy('name', registryCount).tree.isAlphabetOpen;
  }

  release(call: SearchCall): void {
    this.#searched.get(call.query.by)?.tree.reconsider(call.query);
  }

  #searchedBy(by: SearchQuery['by'], registryCount: RegistryCount): Searched {
    const searched = this.#searched.get(by) ?? this.#open(by);
    searched.tree.counted(registryCount);
    return searched;
  }

  #open(by: SearchQuery['by']): Searched {
    const { search } = this.#dialect;
    const states = [...this.#knowledge.queries()].filter(({ query }) => query.by === by);
    const limits = { pageSize: search.paging.size, window: windowOf(this.#dialect) };
    const keySpace = this.#fieldOf(by, states);
    const searched = {
      keySpace,
      tree: new QueryTree({
        keySpace,
        limits,
        pending: this.#pending,
        listsAll: by === 'name' && this.#listsAll,
        firstLooks: by === 'name' ? this.#looks : null,
      }),
    };
    this.#searched.set(by, searched);
    searched.tree.counted(this.#registryCount());
    searched.tree.start(states.map((state) => this.#stated(state)));
    return searched;
  }

  #fieldOf(by: SearchQuery['by'], states: readonly QueryState[]): KeySpace {
    const { min_length: minLength } = this.#dialect.search;
    const keySpace = keySpaceOf(by, this.#semantics, minLength, this.#knowledge);
    if (by === 'identifier' || !this.#isRuleUnknown) return keySpace;
    for (const state of states) this.#judgeRule(keySpace, state);
    return this.#semantics === semanticsOf(this.#dialect)
      ? keySpace
      : keySpaceOf(by, this.#semantics, minLength, this.#knowledge);
  }

  get #isRuleUnknown(): boolean {
    return this.#dialect.search.matches === 'unknown';
  }

  /** The query rule of names: the dialect's, or else the one that responses show. */
  get #semantics(): Semantics {
    const rule = this.#isRuleUnknown ? this.#ruleEvidence.rule : null;
    return rule ?? semanticsOf(this.#dialect);
  }

  #judgeRule(keySpace: KeySpace, { query: { text }, status, rows }: QueryState): void {
    // Only a field of words has counts for each rule.
    if (status !== 'complete' || !keySpace.takesPairs || wordsOf(text)[0] !== text) return;
    const asPrefix = this.#knowledge.textsInOrder('name').countBetween(text, afterAll(text));
    const [asWordPrefix, asWord] = [keySpace.known(text), keySpace.ending(text)];
    this.#ruleEvidence.answered({ text, rows, asPrefix, asWordPrefix, asWord });
  }

  /** By its statistics, or else by its listing of everything. */
  #registryCount(): RegistryCount {
    const { total, observedAtMs } = this.#latestCensus();
    return { total, observedAtMs: this.#inRun(observedAtMs) };
  }

  #latestCensus(): RegistryCount {
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
  #pageOf({ keySpace }: Searched, { text }: SearchQuery, rows: readonly ListedCompany[]): PageSeen {
    const companies = rows.map((row) => comparedText(row, keySpace.by));
    keySpace.observe(text, companies);
    return {
      rows: rows.length,
      new: rows.filter(({ isNew }) => isNew).length,
      fitting: companies.filter((company) => keySpace.finds(text, company)).length,
    };
  }
}

function keySpaceOf(
  by: SearchQuery['by'],
  semantics: Semantics,
  minLength: number,
  knowledge: Knowledge,
): KeySpace {
  if (by === 'identifier' || semantics === 'prefix') return TextKeySpace.byPrefix(by, minLength, knowledge);
  if (semantics === 'substring') return TextKeySpace.byPart(minLength, knowledge);
  return new WordKeySpace(semantics, minLength, knowledge);
}

/** Is there more of it, that can be read to its end? */
function isReadable({ status, total, rows }: QueryState, dialect: Dialect): boolean {
  return status === 'open' && total !== null && total <= windowOf(dialect) && rows < total;
}

const SOME_IN_VAIN = 20;
const FAR_MORE = 4;
