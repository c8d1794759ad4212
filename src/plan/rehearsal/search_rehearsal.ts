import { queryKey } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, KnownCompany, QueryState } from '../knowledge.ts';
import type { Planner } from '../plan.ts';
import { imagineCompanies } from './imagined_companies.ts';
import { ImaginedKnowledge } from './imagined_knowledge.ts';
import { imaginedRegistry } from './imagined_registry.ts';
import { ENDLESS_ROOM, roomBeside } from './room.ts';

export interface RehearsalAsk {
  readonly knowledge: Knowledge;
  /** A mirror before its first call. */
  readonly nothing: Knowledge;
  readonly dialect: Dialect;
  /** The planner that a sync would use, over this knowledge. */
  readonly openPlanner: (knowledge: Knowledge) => Planner;
  /** How many companies the registry is taken to have. */
  readonly total: number;
  readonly nowMs: number;
  readonly seed: number;
}

export interface Rehearsal {
  /** Searches until the planner wants no more. */
  readonly searches: number;
  /** Companies that they find. */
  readonly found: number;
  /** The planner still wanted more when the rehearsal was broken off. */
  readonly isCutShort: boolean;
}

/**
 * Plays the searches that are still to come against an imagined registry of the size given, with the planner that
 * will make them. Large registries are played in small, from the start, and counted from where the mirror stands.
 */
export function rehearseSearches(ask: RehearsalAsk): Rehearsal {
  const { knowledge, total } = ask;
  const known = knowledge.knownCount();
  if (total <= MOST_COMPANIES) return play(ask, [...knowledge.knownCompanies()], knowledge, 0);
  const scale = total / MOST_COMPANIES;
  const sample = sampleOf(knowledge.knownCompanies(), known, Math.ceil(known / scale));
  const played = play({ ...ask, total: MOST_COMPANIES }, sample, null, Math.floor(known / scale));
  return {
    ...{ isCutShort: played.isCutShort },
    ...{ searches: Math.ceil(played.searches * scale), found: Math.ceil(played.found * scale) },
  };
}

/** `from`: what is known already, or null to begin with nothing; counted once `countedFrom` companies are known. */
function play(
  { knowledge, nothing, dialect, openPlanner, total, nowMs, seed }: RehearsalAsk,
  sample: readonly KnownCompany[],
  from: Knowledge | null,
  countedFrom: number,
): Rehearsal {
  const count = Math.max(0, total - sample.length);
  const room = from === null ? ENDLESS_ROOM : roomBeside(sample, from.queries(), dialect);
  const imagined = imagineCompanies({ known: sample, count, room, seed });
  const registry = imaginedRegistry(shuffled([...sample, ...imagined], seed), dialect, nowMs);
  const imaginedKnowledge = new ImaginedKnowledge(from ?? nothing);
  const known = new Set(from === null ? [] : sample.map(({ entityId }) => entityId));
  const states = new Map<string, QueryState>();
  for (const state of from?.queries() ?? []) states.set(queryKey(state.query), state);
  const hasTotal = knowledge.latestStats()?.total != null;
  const size = sample.length + imagined.length;
  const planner = openPlanner(imaginedKnowledge.view(hasTotal ? size : null, nowMs));

  let searches = 0;
  let counted = 0;
  const before = known.size;
  for (; searches < MOST_SEARCHES; searches++) {
    const { calls } = planner.next({ nowMs, left: { calls: Infinity, lifetimeLimit: null }, most: 1 });
    const [call] = calls;
    if (call?.kind !== 'search') break;
    const key = queryKey(call.query);
    const isKnown = (entityId: string) => known.has(entityId);
    const news = registry.search(call, call.page.index === 0 ? undefined : states.get(key), isKnown);
    if (news.query !== null) states.set(key, news.query);
    for (const { entityId, name, isNew } of news.rows) {
      if (!isNew) continue;
      known.add(entityId);
      imaginedKnowledge.learn({ entityId, name });
    }
    planner.learn(news);
    if (known.size > countedFrom) counted++;
  }
  return {
    searches: counted,
    found: known.size - Math.max(before, countedFrom),
    isCutShort: searches === MOST_SEARCHES,
  };
}

function sampleOf(known: Iterable<KnownCompany>, count: number, wanted: number): KnownCompany[] {
  const every = Math.max(1, Math.floor(count / Math.max(1, wanted)));
  const sample: KnownCompany[] = [];
  let at = 0;
  for (const one of known) if (at++ % every === 0 && sample.length < wanted) sample.push({ ...one });
  return sample;
}

/** In an order of its own: that of the hash of the id. */
function shuffled(companies: readonly KnownCompany[], seed: number): KnownCompany[] {
  const rank = ({ entityId }: KnownCompany) => {
    let hash = seed;
    for (const character of entityId) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) | 0;
    return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  };
  return companies.toSorted((a, b) => rank(a) - rank(b));
}

const MOST_COMPANIES = 6_000;
const MOST_SEARCHES = 20_000;
