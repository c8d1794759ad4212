import { copyFileSync } from 'node:fs';
import type { ApiProfile } from '../../../src/api/api_profile.ts';
import type { CallKind } from '../../../src/call.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { configWith, placeFor, probeAt, syncAt } from '../../support/probe.ts';
import { companiesFor } from '../../support/probe_companies.ts';
import { type Grade, gradesOf } from '../../support/probe_grading.ts';

export interface MirrorScore {
  readonly calls: number;
  readonly grades: ReadonlyMap<string, Grade>;
  /** Whether a sync that uses the probed dialect finds as many companies as one that uses the true dialect. */
  readonly isWhole: boolean;
  readonly found: string;
}

/** A server between the mirror and the sandbox. */
export interface Front {
  readonly baseUrl: string;
  close(): Promise<void>;
}

export interface ScoredApi {
  readonly profile: ApiProfile;
  readonly maxCompanies: number;
  /** Parameters that every search needs in addition to the query. */
  readonly extra?: Readonly<Record<string, string>>;
  readonly startFront?: (sandbox: Sandbox) => Promise<Front>;
}

/** Probes an API as the command does, and then mirrors it with the probed dialect and with the true dialect. */
export async function scoreMirror({
  profile,
  maxCompanies,
  extra = {},
  startFront,
}: ScoredApi): Promise<MirrorScore> {
  const companies = await companiesFor(profile, maxCompanies);
  const sandbox = await startSandbox({ profile, companies, keepArrivals: false });
  const front = await startFront?.(sandbox);
  const place = placeFor(front?.baseUrl ?? sandbox.baseUrl, sandbox.keyOf('main'));
  try {
    const { beliefs, exchanges, draft } = await probeAt(place);
    const grades = gradesOf(beliefs, sandbox.profile, sandbox.dialect);
    const score = { calls: exchanges.length, grades };
    if (draft === null) return { ...score, isWhole: false, found: 'no dialect' };
    // Both syncs start with the same responses, because the names known at the start affect what a sync finds.
    copyFileSync(place.config().warehouse, configWith(place, sandbox, sandbox.dialect).warehouse);
    const found = await syncAt(place.config());
    const isComplete = [...found.known].every((id) => found.records.has(id));
    if (found.known.size === companies.length)
      return { ...score, isWhole: isComplete, found: `all of ${companies.length}, ${found.ended}` };
    const truth = { ...sandbox.dialect, search: { ...sandbox.dialect.search, extra } };
    const reachable = await syncAt(configWith(place, sandbox, truth), Infinity, SEARCHES);
    return {
      ...score,
      isWhole: found.known.size >= reachable.known.size * (1 - TOLERATED_SHARE) && isComplete,
      found: `${found.known.size} of ${reachable.known.size} reachable of ${companies.length}, ${found.ended}`,
    };
  } finally {
    await front?.close();
    await sandbox.close();
    place.remove();
  }
}

const SEARCHES: ReadonlySet<CallKind> = new Set(['stats', 'search']);

/** Whether some companies are found depends on the order in which the responses arrive. */
const TOLERATED_SHARE = 0.02;
