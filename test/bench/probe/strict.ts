import { copyFileSync } from 'node:fs';
import type { CallKind } from '../../../src/call.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { configWith, placeFor, probeAt, syncAt } from '../../support/probe.ts';
import { companiesFor } from '../../support/probe_companies.ts';
import { type Grade, gradesOf } from '../../support/probe_grading.ts';
import { type StrictApi, startStrictFront } from './strict_api.ts';

export interface StrictScore {
  readonly calls: number;
  readonly grades: ReadonlyMap<string, Grade>;
  /** Whether a sync that uses the probed dialect finds as many companies as one that uses the true dialect. */
  readonly isWhole: boolean;
  readonly found: string;
}

/** Probes a strict API as the command does, and then mirrors it with the probed dialect and with the true dialect. */
export async function scoreStrict(api: StrictApi): Promise<StrictScore> {
  const companies = await companiesFor(api.profile, api.companies);
  const sandbox = await startSandbox({ profile: api.profile, companies, keepArrivals: false });
  const front = await startStrictFront(api, sandbox);
  const place = placeFor(front.baseUrl, sandbox.keyOf('main'));
  try {
    const { conclusions, exchanges, draft } = await probeAt(place);
    const grades = gradesOf(conclusions, sandbox.profile, sandbox.dialect);
    const score = { calls: exchanges.length, grades };
    if (draft === null) return { ...score, isWhole: false, found: 'no dialect' };
    // Both syncs start with the same responses, because the names known at the start affect what a sync finds.
    copyFileSync(place.config().warehouse, configWith(place, sandbox, sandbox.dialect).warehouse);
    const found = await syncAt(place.config());
    const isComplete = [...found.known].every((id) => found.records.has(id));
    if (found.known.size === companies.length)
      return { ...score, isWhole: isComplete, found: `all of ${companies.length}, ${found.ended}` };
    const extra = api.companion === null ? {} : { [api.companion.name]: api.companion.values[0] ?? '' };
    const truth = { ...sandbox.dialect, search: { ...sandbox.dialect.search, extra } };
    const reachable = await syncAt(configWith(place, sandbox, truth), Infinity, SEARCHES);
    return {
      ...score,
      isWhole: found.known.size >= reachable.known.size * (1 - TOLERATED_SHARE) && isComplete,
      found: `${found.known.size} of ${reachable.known.size} reachable of ${companies.length}, ${found.ended}`,
    };
  } finally {
    await front.close();
    await sandbox.close();
    place.remove();
  }
}

const SEARCHES: ReadonlySet<CallKind> = new Set(['stats', 'search']);

/** Whether some companies are found depends on the order in which the responses arrive. */
const TOLERATED_SHARE = 0.02;
