import { stringify } from 'yaml';
import { type WindowLimits, windowRows } from '../allowance/window_table.ts';
import { DIALECT_HINT } from './write_dialect.ts';

/** The user's answers to the questions that `init` asks. */
export interface InitAnswers extends WindowLimits {
  readonly baseUrl: string;
  /** The environment variable that holds the key; null if the API needs no key. */
  readonly keyVariable: string | null;
  /** The file that holds the key; null if the variable holds it. */
  readonly keyFile: string | null;
  /** The folder for the warehouse and the ledger, relative to the configuration. */
  readonly dataFolder: string;
  readonly sourceName: string;
  readonly tier: 'free' | 'paid';
  readonly commercialUse: boolean;
  readonly perMinute: number;
  readonly unlimited: boolean;
  readonly alreadySpent: number;
  readonly purpose: 'names' | 'records' | 'watchlist';
  /** The watchlist file, relative to the configuration; null if there is no watchlist. */
  readonly watchlist: string | null;
  /** The path to the JSON Schema, relative to the configuration. */
  readonly schemaPath: string;
}

/** Returns the text for a new configuration, with comments that show further keys. */
export function configText(answers: InitAnswers): string {
  const { sourceName, baseUrl, keyVariable, keyFile, watchlist, dataFolder } = answers;
  const key = keyFile === null ? `env:${keyVariable}` : `file:${keyFile}`;
  const apiKey = keyFile === null && keyVariable === null ? 'null' : yaml(`\${${key}}`);
  return `# yaml-language-server: $schema=${answers.schemaPath}
# All keys, units and defaults: docs/configuration.md. To check this file: registry-mirror config validate
version: 1

source:
  name: ${yaml(sourceName)}
  # url: https://registry.example
  # licence: …                 # shown in reports and in every export
  # attribution: …

upstream:
  base_url: ${yaml(baseUrl)}
  # paths: { search: /v1/companies, entity: "/v1/companies/{id}", stats: null }   # from the host's root, if unusual
  # The key is in the environment (\${env:NAME}), or in another file (\${file:PATH}). null: the API needs no key.
  api_key: ${apiKey}
  # key_header: X-API-Key      # if omitted: "Authorization: Bearer {key}"; Basic: "Authorization: Basic {key:basic}"
  # key_param: api_token       # if a query parameter sends the key
  # headers: { X-Auth-Email: "\${env:REGISTRY_EMAIL}" }   # other headers that every call needs
  # concurrency: 4
  # timeouts: { connect: 5s, response: 30s }
  # contact: you@example.org   # in the User-Agent, for the registry's operators

account:
  id: main                     # the allowance belongs to the account; a new key continues the count
  ${`tier: ${answers.tier}`.padEnd(28)} # the free tier does not permit commercial use
  commercial_use: ${answers.commercialUse}
  # license_ends: 2030-12-31   # last day of a paid licence; a warning appears 30 days before
  ${`already_spent: ${answers.alreadySpent}`.padEnd(28)} # calls made with the account before this program used it

# The limits in your own terms. All of them apply; at least one is required.
allowance:
  # reserve: 0.1             # share of each limit that backfills leave for scheduled work
  # day_starts: "00:00 Europe/Oslo"   # start of the account's day; if omitted, a day is any 24 hours
  ${(answers.unlimited ? 'unlimited: true' : '# unlimited: true').padEnd(26)} # no limit except the rate
  per_minute: ${answers.perMinute}
${windowRows()
  .map(({ key, property }) => `  ${key}: ${answers[property] ?? 'null'}`)
  .join('\n')}

# Which calls come first: balanced (a new company is worth as much as a record), coverage, records or freshness.
focus: ${answers.purpose === 'records' ? 'records' : 'balanced'}
${watchlist === null ? '# scope: { names: watchlist.txt }   # only these companies; if omitted, the whole registry' : `scope: { names: ${yaml(watchlist)} }`}

# Ages at which known data is due again.
# max_age: { stats: 7d, summaries: 30d, records: 90d }

# Paths are relative to this file. All configurations for one account must share one ledger.
warehouse: ${yaml(`${dataFolder}/warehouse.db`)}
ledger: ${yaml(`${dataFolder}/ledger.db`)}

#${DIALECT_HINT}
`;
}

/** Writes a value on one line, with quotes if YAML requires them. */
function yaml(value: string): string {
  return stringify(value, { lineWidth: 0, defaultStringType: 'PLAIN' }).trimEnd();
}
