import type { SearchCall } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { folded } from './folding.ts';
import type { Knowledge, News, QueryState } from './knowledge.ts';
import { foldedIdentifier } from './matching.ts';
import type { Pending } from './pending.ts';
import { SearchTree } from './search_tree.ts';
import { characterSeeds, identifierSeeds, wordSeeds } from './seeds.ts';

/** Which searches to make: a tree over identifiers where they can be searched by prefix, and one over names. */
export class Discovery {
  readonly #knowledge: Knowledge;
  readonly #pending: Pending;
  readonly #totalClampedAt: number;
  readonly #byIdentifier: SearchTree | null;
  readonly #byName: SearchTree;

  constructor(options: {
    readonly knowledge: Knowledge;
    readonly dialect: Dialect;
    readonly maxAgeMs: number;
    readonly pending: Pending;
  }) {
    const { knowledge, dialect, maxAgeMs, pending } = options;
    const { search } = dialect;
    const paging = search.paging;
    const window = paging.style === 'none' ? (paging.window ?? paging.size) : paging.window;
    const shared = { window, pageSize: paging.size, minLength: search.min_length, maxAgeMs };
    this.#knowledge = knowledge;
    this.#pending = pending;
    this.#totalClampedAt = search.total_clamped_at ?? Number.POSITIVE_INFINITY;
    const semantics = search.matches === 'unknown' ? 'token_prefix' : search.matches;
    const seeds = semantics === 'token' ? wordSeeds() : characterSeeds();
    const withWords =
      search.matches === 'unknown' || search.min_length > 1 ? [...seeds, ...wordSeeds()] : seeds;
    this.#byName = new SearchTree({ by: 'name', semantics, seeds: withWords, ...shared }, pending);
    this.#byIdentifier =
      search.identifiers === 'prefix'
        ? new SearchTree(
            { by: 'identifier', semantics: 'prefix', seeds: identifierSeeds(), ...shared },
            pending,
          )
        : null;
    this.#start();
  }

  next(nowMs: number, most: number): SearchCall[] {
    const total = this.#knowledge.latestStats()?.total ?? null;
    const isWhole = total !== null && this.#knowledge.knownCount() >= total;
    const first = this.#byIdentifier?.next({ nowMs, most, isWhole }) ?? [];
    // Identifiers split a registry into parts that never overlap; names come in when they cannot reach the rest.
    const idle =
      this.#byIdentifier === null || (first.length === 0 && this.#pending.inFlightCount('search') === 0);
    return idle && !(isWhole && this.#byIdentifier !== null)
      ? this.#byName.next({ nowMs, most, isWhole })
      : first;
  }

  learn(news: News): void {
    for (const row of news.rows) if (row.isNew) this.#see(row.entityId, row.name);
    if (news.call.kind !== 'search') return;
    const tree = news.call.query.by === 'name' ? this.#byName : this.#byIdentifier;
    if (tree === null) return;
    if (news.query !== null && (news.verdict === 'ok' || news.verdict === 'refused')) {
      tree.answered(this.#heard(news.query), news.rows.filter((row) => row.isNew).length);
    } else tree.reconsider(news.call.query);
  }

  release(call: SearchCall): void {
    (call.query.by === 'name' ? this.#byName : this.#byIdentifier)?.reconsider(call.query);
  }

  #start(): void {
    for (const { entityId, name } of this.#knowledge.knownCompanies()) this.#see(entityId, name);
    for (const state of this.#knowledge.queries()) {
      (state.query.by === 'name' ? this.#byName : this.#byIdentifier)?.restore(this.#heard(state));
    }
    this.#byName.start();
    this.#byIdentifier?.start();
  }

  /** A clamped total says "at least": as good as none. */
  #heard(state: QueryState): QueryState {
    const isClamped = state.total !== null && state.total >= this.#totalClampedAt;
    return isClamped ? { ...state, total: null } : state;
  }

  #see(entityId: string, name: string | null): void {
    if (name !== null) this.#byName.see(folded(name));
    this.#byIdentifier?.see(foldedIdentifier(entityId));
  }
}
