import { type Config, requireDialect } from '../config/config.ts';
import { endpointsOf, urlOf } from '../dialect/request.ts';
import type { Ending } from '../ending.ts';
import type { Outcome } from '../outcome.ts';
import type { RunTotals } from '../run_totals.ts';

/**
 * If a run failed because its responses could not be used, adds the URL and the remedy to the ending. A sync without a
 * usable response is reported as failed, even if it would otherwise end as done.
 */
export function explainedEnding(
  ending: Ending,
  run: {
    readonly config: Config;
    readonly totals: RunTotals;
    /** The outcome of the last call without a usable response; null if every response could be used. */
    readonly lastUnusable: Outcome | null;
    /** The upstream's message if every search is rejected; otherwise null. */
    readonly rejection: string | null;
    /** True if the run is a sync, the mirror has no companies, and no search or record call got a usable response. */
    readonly foundNothing: boolean;
  },
): Ending {
  const { config, totals, lastUnusable, rejection, foundNothing } = run;
  if (lastUnusable === null) return ending;
  const address = addressOf(config, lastUnusable);
  if (ending.ended === 'done' && rejection !== null)
    return {
      ended: 'failed',
      why: `the upstream rejects every search: ${rejection}${address}${SEARCH_REMEDY}`,
    };
  if (ending.ended === 'done' && totals.calls + totals.failed > 0 && foundNothing)
    return { ended: 'failed', why: `no response could be used: ${whyOf(lastUnusable)}${address}${REMEDY}` };
  if (ending.ended === 'failed' && isAddressDoubtful(lastUnusable))
    return { ...ending, why: `${ending.why}${address}${REMEDY}` };
  return ending;
}

/** Returns whether the call failed or the upstream rejected it. */
export function isUnusable({ verdict }: Outcome): boolean {
  return verdict.is === 'broken' || verdict.is === 'refused';
}

/**
 * Returns whether the base URL may be wrong. A wrong URL returns a 404 for searches and statistics, or a website's HTML
 * page.
 */
function isAddressDoubtful({ status, verdict }: Outcome): boolean {
  return verdict.is === 'broken' && (status === 404 || (status !== null && status >= 200 && status < 300));
}

function whyOf({ verdict }: Outcome): string {
  return 'why' in verdict ? verdict.why : verdict.is;
}

function addressOf(config: Config, { call }: Outcome): string {
  const url = urlOf(endpointsOf(config.upstream), requireDialect(config), call);
  return url instanceof URL ? ` (${url.origin}${url.pathname})` : '';
}

const SEARCH_REMEDY =
  ". Compare dialect.search with the API's documentation, then run `registry-mirror probe --check`";
const REMEDY = '. Check upstream.base_url, then run `registry-mirror probe --check`';
