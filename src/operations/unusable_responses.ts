import { type Config, requireDialect } from '../config/config.ts';
import { endpointsOf, urlOf } from '../dialect/request.ts';
import type { Ending } from '../mirror.ts';
import type { Outcome } from '../outcome.ts';
import type { RunTotals } from '../run_totals.ts';

/**
 * If a run failed because its responses could not be used, adds the URL and the remedy to the ending. A sync that would
 * end as done is also reported as failed if calls failed and the mirror still knows no company.
 */
export function explainedEnding(
  ending: Ending,
  run: {
    readonly config: Config;
    readonly totals: RunTotals;
    /** The outcome of the last failed call; null: no call failed. */
    readonly failed: Outcome | null;
    /** True if the run is a sync and the mirror knows no company. */
    readonly knowsNothing: boolean;
  },
): Ending {
  const { config, totals, failed, knowsNothing } = run;
  const address = failed === null ? '' : addressOf(config, failed);
  if (ending.ended === 'done' && totals.failed > 0 && knowsNothing)
    return { ended: 'failed', why: `no response could be used: ${whyOf(failed)}${address}${REMEDY}` };
  if (ending.ended === 'failed' && failed !== null && isWrongAddress(failed))
    return { ...ending, why: `${ending.why}${address}${REMEDY}` };
  return ending;
}

/** A wrong base URL returns 404 for searches and statistics, or the HTML page of a website. */
function isWrongAddress({ status, verdict }: Outcome): boolean {
  return verdict.is === 'broken' && (status === 404 || (status !== null && status >= 200 && status < 300));
}

function whyOf(failed: Outcome | null): string {
  return failed?.verdict.is === 'broken' ? failed.verdict.why : 'every call failed';
}

function addressOf(config: Config, { call }: Outcome): string {
  const url = urlOf(endpointsOf(config.upstream), requireDialect(config), call);
  return url instanceof URL ? ` (${url.origin}${url.pathname})` : '';
}

const REMEDY = '. Check upstream.base_url, then run `registry-mirror probe --check`';
