import { type Config, requireDialect } from '../config/config.ts';
import { endpointsOf, urlOf } from '../dialect/request.ts';
import type { Ending } from '../ending.ts';
import type { Outcome } from '../outcome.ts';
import type { Rejection } from '../plan/rejection_check.ts';
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
    /** The last rejected call, if the upstream rejects every search or every record call; otherwise null. */
    readonly rejection: Rejection | null;
    /** True if the run is a sync, the mirror has no companies, and no search or record call got a usable response. */
    readonly foundNothing: boolean;
  },
): Ending {
  const { config, totals, lastUnusable, rejection, foundNothing } = run;
  if (rejection !== null && !OUTRANKS_REJECTION.has(ending.ended))
    return { ended: 'failed', why: whyRejected(config, rejection) };
  if (lastUnusable === null) return ending;
  const address = addressOf(config, lastUnusable);
  if (ending.ended === 'done' && totals.calls + totals.failed > 0 && foundNothing)
    return { ended: 'failed', why: `no response could be used: ${whyOf(lastUnusable)}${address}${REMEDY}` };
  if (ending.ended === 'failed' && isAddressDoubtful(lastUnusable))
    return { ...ending, why: `${ending.why}${address}${REMEDY}` };
  return ending;
}

/** A rejection replaces the other endings, because later runs would end in the same way. */
const OUTRANKS_REJECTION: ReadonlySet<Ending['ended']> = new Set([
  'interrupted',
  'unauthorised',
  'drift',
  'failed',
]);

function whyRejected(config: Config, { call, why }: Rejection): string {
  const reason = `${why}${addressOf(config, { call })}`;
  return call.kind === 'search'
    ? `the upstream rejects every search: ${reason}${SEARCH_REMEDY}`
    : `the upstream rejects every record call: ${reason}${RECORD_REMEDY}`;
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

function addressOf(config: Config, { call }: Pick<Outcome, 'call'>): string {
  const url = urlOf(endpointsOf(config.upstream), requireDialect(config), call);
  return url instanceof URL ? ` (${url.origin}${url.pathname})` : '';
}

const SEARCH_REMEDY =
  ". Compare dialect.search with the API's documentation, then run `registry-mirror probe --check`";
const RECORD_REMEDY =
  ". The companies stay due, and the next run tries one record. Check that your subscription includes records, and compare upstream.paths.entity with the API's documentation";
const REMEDY = '. Check upstream.base_url, then run `registry-mirror probe --check`';
