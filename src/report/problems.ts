import { type LedgerState, LOST_LEDGER_REMEDY } from '../allowance/ledger.ts';
import { isLifetime } from '../allowance/windows.ts';
import { isoTime } from '../clock.ts';
import { DAY_MS } from '../durations.ts';
import type { countUnnamedRecords } from '../warehouse/known.ts';
import type { countAnswered, longestBrokenListing } from '../warehouse/query.ts';
import type { RunRow } from '../warehouse/run.ts';
import { count, counted } from './figures.ts';
import type { ScheduleFacts } from './schedules.ts';

/** A condition that only a person can resolve. */
export interface Problem {
  readonly name: CauseName;
  /** One sentence, which can include text from the upstream. */
  readonly cause: string;
  /** One or two sentences, with commands in backquotes. */
  readonly remedy: string;
}

export interface HealthFacts {
  readonly nowMs: number;
  /** Whether a run is in progress. */
  readonly isRunning: boolean;
  /** The latest runs, most recent first. */
  readonly runs: readonly RunRow[];
  /** The number of quarantine entries (responses and single items). */
  readonly quarantined: number;
  readonly allowance: LedgerState;
  /** How many calls the ledger can lack because it was deleted or replaced. */
  readonly lostCalls: number;
  /** Whether the configuration has a dialect. Without one, only `probe` can make calls. */
  readonly hasDialect: boolean;
  /** The last day of a paid licence (`2027-03-31`); null if unknown. */
  readonly licenceEnds: string | null;
  readonly schedules: readonly Pick<ScheduleFacts, 'name' | 'overdueSinceMs'>[];
  /** The longest listing whose next page cannot be read; null if there is none. */
  readonly brokenListing: ReturnType<typeof longestBrokenListing>;
  readonly answered: Answered & {
    /** The number of searches that found no company, although a known name begins with their text. */
    readonly contradicted: number;
  };
  readonly latestRecords: ReturnType<typeof countUnnamedRecords>;
  /** How complete the mirror is; null if it is empty, or mirrors only a part of the registry. */
  readonly completeness: CompletenessFacts | null;
  /** The number of companies whose last response claims, without proof, that they are gone. */
  readonly missing: number;
  /** The names of the notification receivers that are configured but disabled. */
  readonly disabledReceivers: readonly string[];
}

type Answered = ReturnType<typeof countAnswered>;

export interface CompletenessFacts {
  /** The number of companies that are known and not gone, or forgotten. */
  readonly known: number;
  /** The largest count that the registry or a search reported; null if none did. */
  readonly reported: number | null;
  /**
   * The number of rows in the longest listing that a limit ended; 0 if there is none. `unsplit` ignores a listing with a
   * total, and one whose other companies longer queries can list.
   */
  readonly capped: { readonly rows: number; readonly unsplit: number };
  /** Whether a count or a listing shows the known share. */
  readonly isShown: boolean;
  /** Whether nothing was due when the last run ended. */
  readonly isNothingDue: boolean;
}

/** Formats a time (epoch milliseconds) with its zone: `21 Nov 2026, 14:05 UTC`. */
export type FormatTime = (atMs: number) => string;

/** Returns a mirror's problems, most urgent first. */
export function findProblems(facts: HealthFacts, formatTime: FormatTime): Problem[] {
  const found = (CAUSES as readonly Cause[]).flatMap((cause) => {
    const problem = cause.find(facts, formatTime);
    return problem === null ? [] : [{ cause, problem }];
  });
  const explained = new Set(found.map(({ cause }) => cause.explains));
  return found
    .filter(({ cause }) => !explained.has(cause.name))
    .map(({ cause, problem }) => ({ name: cause.name as CauseName, ...problem }));
}

/** A possible problem. `find` returns null if the mirror does not have the problem. */
interface Cause {
  readonly name: string;
  /** The name of the cause that is only a consequence of this one, and is not reported beside it. */
  readonly explains?: string;
  find(facts: HealthFacts, formatTime: FormatTime): Omit<Problem, 'name'> | null;
}

export type CauseName = (typeof CAUSES)[number]['name'];

/** All causes of `needs_you`, most urgent first. To add a cause, add a row. */
const CAUSES = [
  {
    name: 'key_refused',
    // `probe` needs the key, calls and a reachable upstream.
    explains: 'no_dialect',
    find({ allowance: { refusedKey } }, formatTime) {
      if (refusedKey === null) return null;
      return {
        cause: `The upstream refused the key on ${formatTime(refusedKey.sinceMs)}.`,
        remedy: REFUSED_KEY_REMEDY,
      };
    },
  },
  {
    name: 'ledger_lost',
    explains: 'runs_fail',
    find({ lostCalls }) {
      return lostCalls === 0 ? null : lostLedger(lostCalls);
    },
  },
  {
    name: 'no_dialect',
    find({ hasDialect, isRunning, runs, allowance: { left, resumesAtMs } }, formatTime) {
      // A running probe looks for the dialect, and the page of an empty mirror names the next steps.
      if (hasDialect || isRunning || runs.length === 0) return null;
      const when =
        left <= 0 && resumesAtMs !== null
          ? ` when the quota is available again, on ${formatTime(resumesAtMs)}`
          : '';
      const [last] = runs;
      const cause = 'The configuration has no dialect, so no company can be mirrored.';
      if (last?.command === 'probe' && last.ended === 'done')
        return {
          cause,
          remedy: `Answer the questions at the end of the configuration, then run \`registry-mirror probe\`${when}.`,
        };
      return {
        cause,
        remedy: `Run \`registry-mirror probe\`${when}. It learns the dialect and writes it into the configuration.`,
      };
    },
  },
  {
    name: 'drift',
    find(facts) {
      const drift = driftIn(facts);
      if (drift === null) return null;
      return {
        cause: sentence('The responses no longer match the dialect', drift.error),
        remedy: 'Compare them with `registry-mirror probe --check`, then correct the dialect.',
      };
    },
  },
  {
    name: 'runs_fail',
    explains: 'no_dialect',
    find(facts) {
      const failed = failedRuns(facts);
      const [last] = failed;
      const hasError = failed.some(({ ended }) => ended === 'failed');
      // A single killed run is not a problem, because nothing is lost and the next run continues the work. Several
      // killed runs in a row probably have a common cause.
      if (last === undefined || (!hasError && failed.length < KILLED_RUNS)) return null;
      const next = `\`registry-mirror ${facts.hasDialect ? 'sync' : 'probe'}\``;
      const runs = failed.length === 1 ? 'The last run' : `The last ${counted(failed.length, 'run')}`;
      return {
        cause: hasError
          ? sentence(`${runs} failed`, failed.find(({ error }) => error !== null)?.error ?? null)
          : `${runs} were killed before they ended.`,
        remedy: hasError
          ? `Show the run with \`registry-mirror status --run ${last.runId}\`. Remove the cause, then run ${next}.`
          : `Look for the reason in the system log, such as a lack of memory. Then run ${next}.`,
      };
    },
  },
  {
    name: 'listing_breaks_off',
    find({ brokenListing: broken }) {
      if (broken === null) return null;
      const { text, rows, why, count: listings } = broken;
      const of = text === '' ? 'of all companies' : `for "${text}"`;
      const others = listings > 1 ? `, and ${counted(listings - 1, 'other listing')} too` : '';
      return {
        cause: sentence(`The listing ${of} breaks off after ${counted(rows, 'row')}${others}`, why),
        remedy:
          'Companies may be missing. If the upstream states a limit, set `dialect.search.paging` to its way of paging, or `window` to the limit. Otherwise, later runs request the page again.',
      };
    },
  },
  {
    name: 'searches_find_nothing',
    find({ answered: { queries, successful, contradicted }, completeness, isRunning }) {
      // A listing of all companies is enough.
      const isComplete = completeness?.isShown === true && completeness.known >= (completeness.reported ?? 0);
      if (isRunning || isComplete || !areFewSuccessful({ queries, successful })) return null;
      // The rule fits if the searches found the known names, and only those for further names found nothing.
      if (contradicted < successful) return null;
      return {
        cause: `Only ${count(successful)} of ${counted(queries, 'search', 'searches')} found a company.`,
        remedy:
          'Test the query rule with `registry-mirror probe --fresh --example "NAME"`. If the registry finds only exact names, use `registry-mirror backfill` with a list of names.',
      };
    },
  },
  {
    name: 'names_missing',
    find({ latestRecords: { companies, unnamed } }) {
      if (companies < MIN_ANSWERED || unnamed <= companies * USUAL_UNNAMED) return null;
      return {
        cause: `${count(unnamed)} of the last ${counted(companies, 'company', 'companies')} with a record have no name.`,
        remedy:
          'Compare a record with `dialect.entity.name` and `dialect.search.name`: `registry-mirror show ID`. If the name is elsewhere in some records, add its path to `name_fallbacks`, then run `registry-mirror reprocess`.',
      };
    },
  },
  {
    name: 'companies_missing',
    find({ completeness, isRunning }) {
      if (isRunning || completeness === null || !completeness.isNothingDue) return null;
      const { known, reported, capped, isShown } = completeness;
      const isBelowCount = reported !== null && known < reported * (1 - FEW_MISSING);
      // Searches that find no company beyond one truncated listing are probably truncated too. Whole words list no other
      // company of a truncated listing unless another word of its name is known.
      const isBeyond = known > capped.rows;
      const rows = isBeyond ? capped.unsplit : capped.rows;
      if (!isBelowCount && (isShown || rows === 0)) return null;
      return {
        cause: isBelowCount
          ? `Only ${count(known)} of ${counted(reported, 'company', 'companies')} are known, and no further search would find the rest.`
          : `Companies may be missing: a listing ended after ${counted(rows, 'row')}, probably at a limit, and no search ${isBeyond ? 'can list the rest' : 'found a company beyond them'}.`,
        remedy: `Compare the dialect with the responses: \`registry-mirror probe --check\`. ${isBelowCount ? 'If the count includes something else, correct `dialect.stats.total` or `dialect.search.total`. ' : ''}Otherwise use \`registry-mirror backfill\` with a list of names or ids.`,
      };
    },
  },
  {
    name: 'records_not_found',
    find(facts) {
      const { missing, isRunning } = facts;
      // A run that ended with drift has reported these responses.
      if (isRunning || missing < MANY_MISSING || driftIn(facts) !== null) return null;
      return {
        cause: `The upstream did not return the records of ${counted(missing, 'known company', 'known companies')}, but 404 or another record.`,
        remedy:
          'They are not marked as gone until another run gets the same responses: run `registry-mirror sync`. If the registry has these companies, report the wrong responses to it.',
      };
    },
  },
  {
    name: 'allowance_used_up',
    explains: 'no_dialect',
    find({ allowance: { windows, left, resumesAtMs } }) {
      const total = windows.find((window) => window.left <= 0 && isLifetime(window));
      if (left > 0 || resumesAtMs !== null || total === undefined) return null;
      return {
        cause: `The account has used all ${counted(total.limit, 'call')} of its allowance, which never resets.`,
        remedy: USED_UP_REMEDY,
      };
    },
  },
  {
    name: 'licence_ends',
    find({ licenceEnds, nowMs }) {
      return licenceEnds === null ? null : licenceProblem(licenceEnds, nowMs);
    },
  },
  {
    name: 'schedule_unserved',
    find({ schedules, isRunning, allowance: { left, pausedUntilMs } }, formatTime) {
      const overdue = schedules.filter(({ overdueSinceMs }) => overdueSinceMs !== null);
      const sinceMs = overdue[0]?.overdueSinceMs ?? null;
      // A worker starts no job while another run holds the lock, or while the account is out of quota or paused.
      if (sinceMs === null || isRunning || left <= 0 || pausedUntilMs !== null) return null;
      const names = overdue.map(({ name }) => name).join(', ');
      return {
        cause: `No worker serves the ${overdue.length === 1 ? 'schedule' : 'schedules'} ${names}, due on ${formatTime(sinceMs)}.`,
        remedy: 'Start `registry-mirror worker`, or run `registry-mirror sync` from cron.',
      };
    },
  },
  {
    name: 'receiver_disabled',
    find({ disabledReceivers: names }) {
      if (names.length === 0) return null;
      const [receivers, are, get] =
        names.length === 1 ? ['receiver', 'is', 'gets'] : ['receivers', 'are', 'get'];
      return {
        cause: `The ${receivers} ${names.join(', ')} ${are} disabled and ${get} no notifications.`,
        remedy:
          'Show the reason with `registry-mirror notify status`. Remove it, then run `registry-mirror notify test`.',
      };
    },
  },
  {
    name: 'quarantine',
    find({ quarantined }) {
      if (quarantined === 0) return null;
      return {
        cause: `${counted(quarantined, 'response')} could not be processed and ${quarantined === 1 ? 'is' : 'are'} in quarantine.`,
        remedy: 'List them with `registry-mirror quarantine list`, then replay or discard them.',
      };
    },
  },
] as const satisfies readonly Cause[];

/** A licence that ends within this many days is reported as a problem. */
const LICENCE_WARNING_DAYS = 30;

/** Returns the problem of a licence that has ended or ends soon, or null. The licence is still valid on its last day. */
export function licenceProblem(lastDay: string, nowMs: number): Omit<Problem, 'name'> | null {
  const days = daysLeft(lastDay, nowMs);
  if (days > LICENCE_WARNING_DAYS) return null;
  const when = days === 0 ? 'today' : `in ${counted(days, 'day')}`;
  return {
    cause:
      days < 0 ? `The paid licence ended on ${lastDay}.` : `The paid licence ends on ${lastDay}, ${when}.`,
    remedy: 'Renew it, then update `account.license_ends`.',
  };
}

/** Returns how many days remain until a licence's last day. The number is negative if the licence has ended. */
export function daysLeft(lastDay: string, nowMs: number): number {
  const today = isoTime(nowMs).slice(0, 10);
  return Math.round((Date.parse(lastDay) - Date.parse(today)) / DAY_MS);
}

/** Describes a ledger that does not count all calls. */
export function lostLedger(lostCalls: number): Omit<Problem, 'name'> {
  return {
    cause: `The ledger was deleted or replaced, so it can lack ${counted(lostCalls, 'call')}.`,
    remedy: `${LOST_LEDGER_REMEDY} Until then no call is sent.`,
  };
}

/** Returns all runs except one that is still in progress. */
function finishedRuns({ runs, isRunning }: HealthFacts): readonly RunRow[] {
  return isRunning && runs[0]?.ended === null ? runs.slice(1) : runs;
}

/** Returns the last run that checked responses if it ended with drift, otherwise null. A run without calls checks nothing. */
function driftIn(facts: HealthFacts): RunRow | null {
  const last = finishedRuns(facts).find(({ ended, calls }) => ended === 'drift' || calls > 0);
  return last?.ended === 'drift' ? last : null;
}

/** Returns the runs since the last successful run, most recent first. They all failed or were killed. */
function failedRuns(facts: HealthFacts): RunRow[] {
  const runs = finishedRuns(facts);
  const firstGood = runs.findIndex(({ ended }) => ended !== null && ended !== 'failed');
  return runs.slice(0, firstGood === -1 ? runs.length : firstGood);
}

/** Joins a statement and its reason. A long reason from the upstream is shortened. */
export function sentence(statement: string, reason: string | null): string {
  if (reason === null) return `${statement}.`;
  const [line = ''] = reason.trim().split('\n');
  const text = [...line].length <= MAX_REASON ? line : `${[...line].slice(0, MAX_REASON).join('')}…`;
  return `${statement}: ${text}${/[.!?…]$/.test(text) ? '' : '.'}`;
}

export const RAISED_REMEDY =
  'If the registry has raised the limit since then, run `registry-mirror doctor --online`.';
export const USED_UP_REMEDY =
  'Request a licence or a higher limit from the registry, then raise it under `allowance`.';
export const REFUSED_KEY_REMEDY =
  'Correct `upstream.api_key`. If it is correct, test it with `registry-mirror doctor --online`. Runs send one call a day until a call succeeds.';

/** Returns whether so few searches found a company that the query rule may be wrong. */
export function areFewSuccessful({ queries, successful }: Answered): boolean {
  return queries >= MIN_ANSWERED && successful <= queries * FEW_SUCCESSFUL;
}

const KILLED_RUNS = 3;
const MIN_ANSWERED = 20;
const MANY_MISSING = 6;
const FEW_SUCCESSFUL = 0.05;
/** In most registries, at most this share of the companies has no name. If more have none, names are probably missing. */
export const USUAL_UNNAMED = 0.03;
/** A count can be a little older than the mirror. */
const FEW_MISSING = 0.02;
/** A reason can contain the upstream's message, a URL and the remedy. */
const MAX_REASON = 400;
