import { type WindowLimits, windowRows } from '../../allowance/window_table.ts';
import type { InitAnswers } from '../../config/initial_config.ts';
import { UsageError } from '../../errors.ts';
import { documentPath } from '../documents.ts';
import { type Asker, readCount, readText } from '../questions.ts';

interface InitFlags extends Partial<WindowLimits> {
  readonly baseUrl?: string;
  readonly keyVariable?: string;
  readonly keyFile?: string;
  readonly key?: boolean;
  readonly data?: string;
  readonly name?: string;
  readonly tier?: 'free' | 'paid';
  readonly commercialUse?: boolean;
  readonly perMinute?: number;
  readonly unlimited?: boolean;
  readonly alreadySpent?: number;
  readonly for?: 'names' | 'records';
  readonly watchlist?: string;
}

/**
 * Returns the answers from the flags. Asks the user for the others, and to confirm the variable of the
 * key. Without an asker, uses the defaults.
 *
 * @throws UsageError if the base URL is missing and there is no asker.
 */
export async function initAnswers(flags: InitFlags, asker: Asker | null): Promise<InitAnswers> {
  const answer = async <T>(given: T | undefined, byDefault: T, ask: (asker: Asker) => Promise<T>) =>
    given ?? (asker === null ? byDefault : await ask(asker));
  const baseUrl = await answer(flags.baseUrl, null, (it) =>
    it.text("What is the API's base URL?", readAddress),
  );
  if (baseUrl === null)
    throw new UsageError("the API's base URL is missing", {
      hint: 'Add --base-url URL, or run `registry-mirror init` on a terminal without --yes.',
    });
  const sourceName = await answer(flags.name, 'Registry', (it) =>
    it.text('What is the registry called?', readText('a name'), 'Registry'),
  );
  const keyVariable = await askKeyVariable(flags, asker);
  const purpose = await answer(
    flags.watchlist === undefined ? flags.for : 'watchlist',
    'names' as InitAnswers['purpose'],
    (it) => it.choice('What should be fetched first?', PURPOSES, 0),
  );
  const watchlist =
    purpose === 'watchlist'
      ? await answer(flags.watchlist, null, (it) =>
          it.text('Which file lists the company names, one per line?', readText('a path')),
        )
      : null;
  const tier = await answer(flags.tier, 'free' as InitAnswers['tier'], (it) =>
    it.choice('Which tier is the account on?', TIERS),
  );
  const commercialUse = await answer(
    tier === 'free' ? (flags.commercialUse ?? false) : flags.commercialUse,
    false,
    (it) => it.yes('Is the data used commercially?', false),
  );
  const named = limitsOf(flags);
  return {
    ...{ baseUrl, sourceName, keyVariable, purpose, watchlist, tier, commercialUse },
    ...(asker === null ? named : await askLimits(named, asker)),
    perMinute: await answer(flags.perMinute, 10, (it) =>
      it.text('How many calls a minute?', readCount(1), '10'),
    ),
    alreadySpent: await answer(flags.alreadySpent, 0, (it) =>
      it.text('How many calls has this account already made?', readCount(0), '0'),
    ),
    keyFile: flags.keyFile ?? null,
    dataFolder: flags.data ?? 'data',
    schemaPath: documentPath('configuration.schema.json'),
  };
}

const PURPOSES = [
  { label: 'a list of all companies (names and ids first)', value: 'names' },
  { label: 'complete records, company by company', value: 'records' },
  { label: 'only the companies on a watchlist', value: 'watchlist' },
] as const;

const TIERS = [
  { label: 'free (commercial use is not permitted)', value: 'free' },
  { label: 'paid', value: 'paid' },
] as const;

async function askKeyVariable(
  { key, keyFile, keyVariable = 'REGISTRY_API_KEY' }: InitFlags,
  asker: Asker | null,
): Promise<string | null> {
  if (key === false) return null;
  if (asker === null || keyFile !== undefined) return keyVariable;
  const question =
    'Which environment variable contains your key? (Do not enter the key itself. If the API needs none, enter none.)';
  const name = await asker.text(question, readVariable, keyVariable);
  return name === 'none' ? null : name;
}

type Limits = WindowLimits & Pick<InitAnswers, 'unlimited'>;

/** Returns the limits that the flags set. */
function limitsOf({ unlimited = false, ...flags }: InitFlags): Limits {
  const limits = windowRows().map(({ property }) => [property, flags[property] ?? null]);
  return { ...(Object.fromEntries(limits) as WindowLimits), unlimited };
}

/** Asks for the allowance. There is no default, because the allowance depends on the user's contract. */
async function askLimits(named: Limits, asker: Asker): Promise<Limits> {
  if (Object.values(named).some((limit) => limit !== null && limit !== false)) return named;
  const form = await asker.choice(ALLOWANCE_QUESTION, [
    ...windowRows().map(({ property, words }) => ({ label: `a limit ${words.per}`, value: property })),
    { label: 'both: in total and a day', value: 'both' as const },
    { label: 'only the rate is limited', value: 'unlimited' as const },
  ]);
  if (form === 'unlimited') return { ...named, unlimited: true };
  const limits = { ...named };
  for (const { property, words } of windowRows())
    if (form === property || (form === 'both' && (property === 'total' || property === 'perDay')))
      limits[property] = await asker.text(`How many calls ${words.per}?`, readCount(1));
  return limits;
}

const ALLOWANCE_QUESTION =
  "Which allowance do your terms state? (The free tier's documentation gives both 100 calls in total and 1,000 calls per day. " +
  'Use the limit in your own terms.)';

function readAddress(answer: string): string | Error {
  if (URL.canParse(answer) && /^https?:/.test(answer)) return answer;
  return new Error('Enter the complete URL, such as https://registry.example/api.');
}

function readVariable(answer: string): string | Error {
  return /^[A-Za-z_]\w*$/.test(answer)
    ? answer
    : new Error('Enter a variable name, such as REGISTRY_API_KEY.');
}
