import type { ApiProfile, ApiProfileInput } from '../../src/api/api_profile.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { PROFILE_PRESETS } from '../support/presets.ts';
import { probeAll } from '../support/probe_client.ts';
import { companiesFor } from '../support/probe_companies.ts';
import { type Grade, gradesOf } from '../support/probe_grading.ts';
import { type GradeCounts, medianOf, openGradeCounts } from '../support/probe_scores.ts';
import { randomProfile } from '../support/random_profile.ts';
import { argumentsOf, say } from '../support/script.ts';
import { type MirrorScore, scoreMirror } from './probe/mirror_score.ts';
import { startStrictFront, strictApi } from './probe/strict_api.ts';

// Probes models of real registries and random APIs, and counts calls and findings. Fails if a sure finding is wrong or
// if a probe needs too many calls. With --mirror, the benchmark also mirrors small registries behind the random APIs.
// With --strict, it mirrors small registries whose APIs reject unknown parameters with a message.

const flags = argumentsOf({
  seeds: 500,
  from: 400_001,
  mirror: false,
  companies: 300,
  strict: false,
  verbose: false,
});
const MAX_CALLS = 16;
const MAX_MEDIAN_CALLS = 10;
const MIN_WHOLE_SHARE = 0.95;

interface ProbeScore {
  readonly calls: number;
  readonly grades: ReadonlyMap<string, Grade>;
}

async function scoreOf(profile: ApiProfileInput | ApiProfile): Promise<ProbeScore> {
  const sandbox = await startSandbox({
    profile,
    companies: await companiesFor(profile),
    keepArrivals: false,
  });
  try {
    const { beliefs, exchanges } = await probeAll(sandbox.baseUrl, sandbox.keyOf('main'));
    return { calls: exchanges.length, grades: gradesOf(beliefs, sandbox.profile, sandbox.dialect) };
  } finally {
    await sandbox.close();
  }
}

const COLUMNS: Readonly<Record<Grade, string>> = {
  right: 'right',
  open: 'left open',
  'guessed wrong': 'wrong, called likely',
  wrong: 'wrong, called sure',
};
const GRADES = Object.keys(COLUMNS) as Grade[];

function tableOf(totals: GradeCounts): string {
  const lines = totals
    .rows()
    .map(({ topic, ...counts }) => `| ${topic} | ${GRADES.map((grade) => counts[grade]).join(' | ')} |`);
  const head = `| finding | ${GRADES.map((grade) => COLUMNS[grade]).join(' | ')} |\n|---|---|---|---|---|`;
  return `${head}\n${lines.join('\n')}`;
}

const totals = openGradeCounts();
const calls: number[] = [];
let wrong = 0;
const add = (name: string, { calls: callsUsed, grades }: ProbeScore) => {
  calls.push(callsUsed);
  totals.count(grades);
  const topics = (grade: Grade) => [...grades].filter(([, given]) => given === grade).map(([topic]) => topic);
  wrong += topics('wrong').length;
  if (topics('wrong').length > 0) say(`${name}: wrong, called sure: ${topics('wrong').join(', ')}`);
  else if (flags.verbose)
    say(
      `${name}: ${callsUsed} calls; open: ${topics('open').join(', ')}; wrong, called likely: ${topics('guessed wrong').join(', ')}`,
    );
};

const first = flags.from;
const seeds = Array.from({ length: flags.seeds }, (_, index) => first + index);

/** Probes and mirrors one API for each seed. */
async function runMirrors(family: string, mirrorOf: (seed: number) => Promise<MirrorScore>): Promise<void> {
  let whole = 0;
  for (const seed of seeds) {
    const score = await mirrorOf(seed);
    if (score.isWhole) whole++;
    else say(`${family} ${seed}: incomplete mirror (${score.found}), ${score.calls} calls`);
    add(`${family} ${seed}`, score);
  }
  const share = whole / seeds.length;
  say(
    `\n${seeds.length} ${family} APIs from seed ${first}; mirrored whole: ${whole} (${Math.round(share * 100)} %)`,
  );
  if (share < MIN_WHOLE_SHARE) process.exitCode = 1;
}

function mirrorRandom(seed: number): Promise<MirrorScore> {
  return scoreMirror({ profile: randomProfile(seed), maxCompanies: flags.companies });
}

function mirrorStrict(seed: number): Promise<MirrorScore> {
  const api = strictApi(seed);
  return scoreMirror({
    profile: api.profile,
    maxCompanies: api.companies,
    extra: api.companion === null ? {} : { [api.companion.name]: api.companion.values[0] ?? '' },
    startFront: (sandbox) => startStrictFront(api, sandbox),
  });
}

/** Models of real registries, then random APIs. */
async function runLenient(): Promise<void> {
  say('| modelled on | calls | left open |\n|---|---|---|');
  for (const [name, profile] of Object.entries(PROFILE_PRESETS)) {
    const score = await scoreOf(profile);
    const open = [...score.grades].filter(([, grade]) => grade !== 'right').map(([topic]) => topic);
    say(`| ${name} | ${score.calls} | ${open.join(', ')} |`);
    add(name, score);
  }
  for (const seed of seeds) add(`random ${seed}`, await scoreOf(randomProfile(seed)));

  say(`\n${calls.length} APIs, ${flags.seeds} of them random from seed ${first}`);
}

if (flags.strict) await runMirrors('strict', mirrorStrict);
else if (flags.mirror) await runMirrors('random', mirrorRandom);
else await runLenient();
say(`calls: median ${medianOf(calls)}, maximum ${Math.max(...calls)}\n`);
say(tableOf(totals));
if (wrong > 0 || medianOf(calls) > MAX_MEDIAN_CALLS || Math.max(...calls) > MAX_CALLS) process.exitCode = 1;
