import { stringify } from 'yaml';
import { type WindowLimits, type WindowRow, windowRows } from '../allowance/window_table.ts';

/** What `init` asks. */
export interface InitAnswers extends WindowLimits {
  readonly baseUrl: string;
  /** Environment variable that holds the key. */
  readonly keyVariable: string;
  readonly sourceName: string;
  readonly tier: 'free' | 'paid';
  readonly commercialUse: boolean;
  readonly perMinute: number;
  readonly unlimited: boolean;
  readonly alreadySpent: number;
  readonly purpose: 'names' | 'records' | 'watchlist';
  /** File of the names on the watchlist, relative to the configuration; for that purpose only. */
  readonly watchlist: string | null;
  /** Path of the JSON Schema, as the configuration's own folder sees it. */
  readonly schemaPath: string;
}

/** The text of a new configuration, with comments that say what else can be set. */
export function configText(answers: InitAnswers): string {
  return [
    header(answers),
    upstream(answers),
    account(answers),
    allowance(answers),
    wanted(answers),
    REST,
  ].join('\n');
}

function header({ schemaPath, sourceName }: InitAnswers): string {
  return `# yaml-language-server: $schema=${schemaPath}
# Every key, with unit and default: docs/configuration.md. Check this file with: registry-mirror config validate
version: 1

source:
  name: ${yaml(sourceName)}
  # url: https://registry.example
  # licence: …                 # shown in reports, and carried by every export
  # attribution: …
`;
}

function upstream({ baseUrl, keyVariable }: InitAnswers): string {
  return `upstream:
  base_url: ${yaml(baseUrl)}
  # The key stays outside of this file: in the environment, or in a file (\${file:PATH}).
  api_key: \${env:${keyVariable}}
  # concurrency: 4
  # timeouts: { connect: 5s, response: 30s }
  # contact: you@example.org   # shown to the registry's operators in the User-Agent
`;
}

function account({ tier, commercialUse, alreadySpent }: InitAnswers): string {
  return `account:
  id: main                     # owns the allowance; a new key does not begin a new one
  ${`tier: ${tier}`.padEnd(28)} # free does not permit commercial use
  commercial_use: ${commercialUse}
  # license_ends: 2030-12-31   # of a paid licence; warns from 30 days before
  ${`already_spent: ${alreadySpent}`.padEnd(28)} # calls that the account had made before this tool
`;
}

function allowance(answers: InitAnswers): string {
  const { perMinute, unlimited } = answers;
  return `# How many calls may be made: what your own terms say. Every limit that is set holds; at least one must be.
allowance:
  per_minute: ${perMinute}
${windowRows()
  .map((row) => `  ${limitLine(row, answers[row.property])}`)
  .join('\n')}
  ${(unlimited ? 'unlimited: true' : '# unlimited: true').padEnd(26)} # no limit but the rate
  # reserve: 0.1             # share kept back from backfills for the scheduled work
  # day_starts: "00:00 Europe/Oslo"   # when the account's day begins; without it, any 24 hours count
`;
}

function limitLine({ key, words }: WindowRow, value: number | null): string {
  const line = `${key}: ${value ?? 'null'}`;
  return words.scope === words.per ? line : `${line.padEnd(26)} # ${words.scope}`;
}

function wanted({ purpose, watchlist }: InitAnswers): string {
  return `# What a call is worth most for: coverage (list every company), records, or freshness.
focus: ${purpose === 'records' ? 'records' : 'coverage'}
${watchlist === null ? '# scope: { names: watchlist.txt }   # only these companies; without it, the whole registry' : `scope: { names: ${yaml(watchlist)} }`}
`;
}

const REST = `# When a thing is due again.
# max_age: { stats: 7d, summaries: 30d, records: 90d }

# Relative to this file. All configurations of one account must share one ledger.
warehouse: data/warehouse.db
ledger: data/ledger.db

# How the API speaks: \`registry-mirror probe\` finds it in a few calls and writes it here, under \`dialect:\`.
`;

/** A value on one line, quoted where it must be. */
function yaml(value: string): string {
  return stringify(value, { lineWidth: 0, defaultStringType: 'PLAIN' }).trimEnd();
}
