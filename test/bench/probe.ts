import { parseArgs } from 'node:util';
import type { ApiProfile, ApiProfileInput } from '../../src/api/api_profile.ts';
import { PROFILE_PRESETS } from '../../src/sandbox/profile_presets.ts';
import { randomProfile } from '../../src/sandbox/random_profile.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { probeAll } from '../support/probe_client.ts';
import { companiesFor } from '../support/probe_companies.ts';
import { type Grade, gradesOf } from '../support/probe_grading.ts';
import { medianOf, openTally, type Tally } from '../support/probe_scores.ts';

// What a probe finds out, and at how many calls: the upstreams that are modelled on real ones, and many that are
// drawn at random. Fails where a finding that is called sure is wrong, or where it takes too many calls.

const { values: given } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    from: { type: 'string', default: '400001' },
    verbose: { type: 'boolean', default: false },
  },
});
const MOST_CALLS = 16;
const MOST_AT_MEDIAN = 10;

interface Probed {
  readonly calls: number;
  readonly grades: ReadonlyMap<string, Grade>;
}

async function probed(profile: ApiProfileInput | ApiProfile): Promise<Probed> {
  const sandbox = await startSandbox({
    shape: profile,
    companies: await companiesFor(profile),
    keepArrivals: false,
  });
  try {
    const { conclusions, exchanges } = await probeAll(sandbox.baseUrl, sandbox.keyOf('main'));
    return { calls: exchanges.length, grades: gradesOf(conclusions, sandbox.shape, sandbox.dialect) };
  } finally {
    await sandbox.close();
  }
}

const NAMED: Readonly<Record<Grade, string>> = {
  right: 'right',
  open: 'left open',
  'guessed wrong': 'wrong, called likely',
  wrong: 'wrong while sure',
};
const GRADES = Object.keys(NAMED) as Grade[];

function tableOf(totals: Tally): string {
  const lines = totals
    .rows()
    .map(({ topic, ...counts }) => `| ${topic} | ${GRADES.map((grade) => counts[grade]).join(' | ')} |`);
  const head = `| finding | ${GRADES.map((grade) => NAMED[grade]).join(' | ')} |\n|---|---|---|---|---|`;
  return `${head}\n${lines.join('\n')}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const totals = openTally();
const calls: number[] = [];
let wrong = 0;
const note = (name: string, { calls: spent, grades }: Probed) => {
  calls.push(spent);
  totals.count(grades);
  const topics = (grade: Grade) => [...grades].filter(([, one]) => one === grade).map(([topic]) => topic);
  wrong += topics('wrong').length;
  if (topics('wrong').length > 0) print(`${name}: wrong while sure: ${topics('wrong').join(', ')}`);
  else if (given.verbose)
    print(
      `${name}: ${spent} calls; open: ${topics('open').join(', ')}; guessed: ${topics('guessed wrong').join(', ')}`,
    );
};

print('| modelled on | calls | left open |\n|---|---|---|');
for (const [name, profile] of Object.entries(PROFILE_PRESETS)) {
  const one = await probed(profile);
  const open = [...one.grades].filter(([, grade]) => grade !== 'right').map(([topic]) => topic);
  print(`| ${name} | ${one.calls} | ${open.join(', ')} |`);
  note(name, one);
}
const first = Number(given.from);
for (let seed = first; seed < first + Number(given.seeds); seed++)
  note(`drawn ${seed}`, await probed(randomProfile(seed)));

print(`\n${calls.length} upstreams, ${given.seeds} of them drawn from seed ${first} on`);
print(`calls: ${medianOf(calls)} at the median, ${Math.max(...calls)} at most\n`);
print(tableOf(totals));
if (wrong > 0 || medianOf(calls) > MOST_AT_MEDIAN || Math.max(...calls) > MOST_CALLS) process.exitCode = 1;
