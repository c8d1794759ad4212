import { type WindowLimits, windowRows } from '../../allowance/window_table.ts';
import type { InitAnswers } from '../../config/initial_config.ts';
import { UsageError } from '../../errors.ts';
import { documentPath } from '../documents.ts';
import { type Asker, readCount, readText } from '../questions.ts';

export interface InitFlags extends Partial<WindowLimits> {
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

/** Returns the answers for `init --yes`, taken from the flags and the defaults. */
export function fromFlags(flags: InitFlags): InitAnswers {
  if (flags.baseUrl === undefined)
    throw new UsageError("the API's base URL is missing", {
      hint: 'Add --base-url URL, or run `registry-mirror init` on a terminal without --yes.',
    });
  return {
    ...withDefaults(flags),
    baseUrl: flags.baseUrl,
    tier: flags.tier ?? 'free',
    commercialUse: flags.commercialUse ?? false,
    ...limitsOf(flags),
  };
}

function withDefaults(flags: InitFlags) {
  return {
    keyVariable: flags.key === false ? null : (flags.keyVariable ?? 'REGISTRY_API_KEY'),
    keyFile: flags.keyFile ?? null,
    dataFolder: flags.data ?? 'data',
    sourceName: flags.name ?? 'Registry',
    perMinute: flags.perMinute ?? 10,
    alreadySpent: flags.alreadySpent ?? 0,
    purpose: flags.watchlist !== undefined ? 'watchlist' : (flags.for ?? 'names'),
    watchlist: flags.watchlist ?? null,
    schemaPath: documentPath('configuration.schema.json'),
  } satisfies Partial<InitAnswers>;
}

/** Asks the user a question for each answer that the flags do not give. */
export async function fromQuestions(flags: InitFlags, asker: Asker): Promise<InitAnswers> {
  const baseUrl = flags.baseUrl ?? (await asker.text("What is the API's base URL?", readAddress));
  const sourceName =
    flags.name ?? (await asker.text('What is the registry called?', readText('a name'), 'Registry'));
  const keyVariable =
    flags.keyFile === undefined && flags.key !== false
      ? await asker.text(
          'Which environment variable contains your key? (Do not enter the key itself. If the API needs none, enter none.)',
          readVariable,
          flags.keyVariable,
        )
      : undefined;
  const purpose = await askPurpose(flags, asker);
  const watchlist =
    purpose === 'watchlist'
      ? (flags.watchlist ??
        (await asker.text('Which file lists the company names, one per line?', readText('a path'))))
      : null;
  const account = await askAccount(flags, asker);
  const limits = await askLimits(flags, asker);
  const perMinute = flags.perMinute ?? (await asker.text('How many calls per minute?', readCount(1), '10'));
  const alreadySpent =
    flags.alreadySpent ??
    (await asker.text('How many calls has this account already made?', readCount(0), '0'));
  const defaults = withDefaults(flags);
  return {
    ...defaults,
    baseUrl,
    sourceName,
    ...(keyVariable !== undefined && { keyVariable: keyVariable === 'none' ? null : keyVariable }),
    purpose,
    watchlist,
    ...account,
    ...limits,
    perMinute,
    alreadySpent,
  };
}

async function askPurpose(flags: InitFlags, asker: Asker): Promise<InitAnswers['purpose']> {
  if (flags.watchlist !== undefined) return 'watchlist';
  if (flags.for !== undefined) return flags.for;
  return asker.choice(
    'What should be fetched first?',
    [
      { label: 'a list of all companies (names and ids first)', value: 'names' as const },
      { label: 'complete records, company by company', value: 'records' as const },
      { label: 'only the companies on a watchlist', value: 'watchlist' as const },
    ],
    0,
  );
}

async function askAccount(
  flags: InitFlags,
  asker: Asker,
): Promise<Pick<InitAnswers, 'tier' | 'commercialUse'>> {
  const tier =
    flags.tier ??
    (await asker.choice('Which tier is the account on?', [
      { label: 'free (commercial use is not permitted)', value: 'free' as const },
      { label: 'paid', value: 'paid' as const },
    ]));
  const commercialUse =
    flags.commercialUse ?? (tier === 'paid' && (await asker.yes('Is the data used commercially?', false)));
  return { tier, commercialUse };
}

type Limits = WindowLimits & Pick<InitAnswers, 'unlimited'>;

/** Returns the limits that the flags set. */
function limitsOf({ unlimited = false, ...flags }: InitFlags): Limits {
  const limits = windowRows().map(({ property }) => [property, flags[property] ?? null]);
  return { ...(Object.fromEntries(limits) as WindowLimits), unlimited };
}

/** Asks for the allowance. There is no default, because the allowance depends on the user's contract. */
async function askLimits(flags: InitFlags, asker: Asker): Promise<Limits> {
  const named = limitsOf(flags);
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
