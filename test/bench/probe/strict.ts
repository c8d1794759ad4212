import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { configWith, placeFor, probeAt, syncAt } from '../../support/probe.ts';
import { companiesFor } from '../../support/probe_companies.ts';
import { type Grade, gradesOf } from '../../support/probe_grading.ts';
import { type StrictApi, startStrictFront } from './strict_api.ts';

export interface StrictScore {
  readonly calls: number;
  readonly grades: ReadonlyMap<string, Grade>;
  /** Does a sync with the probed dialect find everything that a sync with the true dialect finds? */
  readonly isWhole: boolean;
  readonly found: string;
}

/** Probes a strict API as the command does, and mirrors it with the dialect found and with the true one. */
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
    const found = await syncAt(place.config());
    const extra = api.companion === null ? {} : { [api.companion.name]: api.companion.values[0] ?? '' };
    const truth = { ...sandbox.dialect, search: { ...sandbox.dialect.search, extra } };
    const reachable = await syncAt(configWith(place, sandbox, truth));
    const missing = [...reachable.known].filter((id) => !found.known.has(id)).length;
    const isComplete = [...found.known].every((id) => found.records.has(id));
    return {
      ...score,
      isWhole: missing <= reachable.known.size * TOLERATED_SHARE && isComplete,
      found: `${found.known.size} of ${reachable.known.size} reachable of ${companies.length}, ${found.ended}`,
    };
  } finally {
    await front.close();
    await sandbox.close();
    place.remove();
  }
}

/** With the rule `token`, unknown words are found by chance, depending on the order of the responses. */
const TOLERATED_SHARE = 0.02;
