import { queryKey } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import { Patience } from '../discovery/patience.ts';
import type { Knowledge, KnownCompany, QueryState } from '../knowledge.ts';
import type { Planner } from '../plan.ts';
import { countOfAll, listingOfAll } from '../registry_size.ts';
import { imagineCompanies } from './imagined_companies.ts';
import { ImaginedKnowledge } from './imagined_knowledge.ts';
import { imaginedRegistry } from './imagined_registry.ts';
import { ENDLESS_ROOM, roomBeside } from './room.ts';
import { type Supposition, suppositionsFor } from './supposition.ts';

export interface RehearsalAsk {
  readonly knowledge: Knowledge;
  /** A mirror before its first call. */
  readonly nothing: Knowledge;
  readonly dialect: Dialect;
  /** The planner that a sync would use, over this knowledge. */
  readonly openPlanner: (knowledge: Knowledge) => Planner;
  /** How many companies the registry is taken to have; several where nobody is sure. */
  readonly totals: readonly number[];
  readonly nowMs: number;
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
 * Plays the searches that are still to come against imagined registries, with the planner that will make them: once for
 * each supposition, as long as that does not take too long. Large registries are played in small, from the start, and
 * counted from where the mirror stands.
 */
export function rehearseSearches(ask: RehearsalAsk): Rehearsal[] {
  const { knowledge, dialect, totals } = ask;
  const known = sampleOf(knowledge.knownCompanies(), knowledge.knownCount(), MOST_COMPANIES);
  const queries = [...knowledge.queries()];
  const rehearsals: Rehearsal[] = [];
  let played = 0;
  const { inVain } = new Patience(knowledge);
  for (const supposition of suppositionsFor(known, queries, dialect, inVain)) {
    if (rehearsals.length >= FEWEST && played >= ENOUGH_SEARCHES) break;
    for (const total of totals) {
      const one = rehearse({ ...ask, known, queries, total, supposition });
      played += one.played;
      rehearsals.push(one);
    }
  }
  return rehearsals;
}

interface Part extends RehearsalAsk {
  readonly known: readonly KnownCompany[];
  readonly queries: readonly QueryState[];
  readonly total: number;
  readonly supposition: Supposition;
}

function rehearse(part: Part): Rehearsal & { readonly played: number } {
  const { knowledge, known, total } = part;
  if (total <= MOST_COMPANIES) {
    const { useful, inVain, ...played } = play(part, known, knowledge, 0);
    return { ...played, searches: useful + inVain };
  }
  const scale = total / MOST_COMPANIES;
  const knownInSmall = knowledge.knownCount() / scale;
  const sample = sampleOf(known, known.length, Math.ceil(knownInSmall));
  const countedFrom = Math.floor(knownInSmall);
  const { useful, inVain, ...played } = play({ ...part, total: MOST_COMPANIES }, sample, null, countedFrom);
  return {
    ...played,
    // What is out of reach is looked for the longer the more it is, by its root.
    searches: Math.ceil(useful * scale + inVain * Math.sqrt(scale)),
    found: Math.ceil(played.found * scale),
  };
}

/** `from`: what is known already, or null to begin with nothing; counted once `countedFrom` companies are known. */
function play(
  { knowledge, nothing, dialect, openPlanner, queries, total, nowMs, supposition }: Part,
  sample: readonly KnownCompany[],
  from: Knowledge | null,
  countedFrom: number,
) {
  const count = Math.max(0, total - sample.length);
  const room = from === null ? ENDLESS_ROOM : roomBeside(sample, queries, dialect);
  const imagined = supposition.isOutOfReach
    ? []
    : imagineCompanies({ known: sample, queries, dialect, count, room, supposition });
  const registry = imaginedRegistry([...sample, ...imagined], dialect, supposition, nowMs);
  const imaginedKnowledge = new ImaginedKnowledge(from ?? nothing);
  const known = new Set(from === null ? [] : sample.map(({ entityId }) => entityId));
  const states = new Map<string, QueryState>();
  if (from !== null) for (const state of queries) states.set(queryKey(state.query), state);
  const everything = listingOfAll(queries, dialect);
  const isCounted = everything !== null && countOfAll(everything, dialect) !== null;
  const hasTotal = isCounted || knowledge.latestStats()?.total != null;
  const size = sample.length + (supposition.isOutOfReach ? count : imagined.length);
  const planner = openPlanner(imaginedKnowledge.view(hasTotal ? size : null, nowMs));

  const before = known.size;
  let [played, useful, inVain] = [0, 0, 0];
  for (; played < MOST_SEARCHES; played++) {
    const { calls } = planner.next({ nowMs, left: { calls: Infinity, lifetimeLimit: null }, most: 1 });
    const [call] = calls;
    if (call?.kind !== 'search') break;
    const key = queryKey(call.query);
    const isKnown = (entityId: string) => known.has(entityId);
    const news = registry.search(call, call.page.index === 0 ? undefined : states.get(key), isKnown);
    if (news.query !== null) states.set(key, news.query);
    const atFirst = known.size;
    for (const { entityId, name, isNew } of news.rows) {
      if (!isNew) continue;
      known.add(entityId);
      imaginedKnowledge.learn({ entityId, name });
    }
    planner.learn(news);
    if (known.size <= countedFrom) continue;
    inVain++;
    if (known.size > atFirst) [useful, inVain] = [useful + inVain, 0];
  }
  return {
    ...{ played, useful, inVain, isCutShort: played === MOST_SEARCHES },
    found: known.size - Math.max(before, countedFrom),
  };
}

/** Of so many, as many as are wanted, evenly taken. */
function sampleOf(known: Iterable<KnownCompany>, count: number, wanted: number): KnownCompany[] {
  const every = Math.max(1, count / Math.max(1, wanted));
  const sample: KnownCompany[] = [];
  let at = 0;
  for (const one of known) if (at++ >= sample.length * every) sample.push(one);
  return sample;
}

const MOST_COMPANIES = 6_000;
const MOST_SEARCHES = 20_000;
const FEWEST = 2;
const ENOUGH_SEARCHES = 6_000;
