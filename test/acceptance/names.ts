// npm run accept names [-- --names 2000 --companies 6000]
// Runs `backfill` with many names, once for each query rule. A third of the names are misspelt or have another legal
// form. Prints the calls per name, and how many matches are right, wrong or left to the user.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateRegistry } from '../../data/generate.ts';
import { wantedNames } from '../bench/names/wanted_names.ts';
import { argumentsOf } from '../support/script.ts';
import { openUpstream } from '../support/upstream.ts';

const values = argumentsOf({ names: 2000, companies: 6000 });
const companies = [...generateRegistry({ companies: values.companies, seed: 11 })].map((company) => ({
  ...company,
  id: String(company.id),
}));
const wanted = wantedNames(companies, values.names, 3);
const meant = new Map(wanted.map(({ text, meantId }) => [text, meantId]));
const spoilt = wanted.filter(({ spoiltBy }) => spoiltBy !== 'nothing').length;
const print = (cells: readonly (string | number)[]) =>
  process.stdout.write(`${cells.map((cell, at) => String(cell).padStart(at === 0 ? 14 : 9)).join('')}\n`);

process.stdout.write(
  `${wanted.length} names, ${spoilt} of them changed, from ${companies.length} companies\n`,
);
print(['search', 'names', 'calls', 'a name', 'right', 'wrong', 'first', 'among', 'without', 'none']);
let wrongInAll = 0;
for (const matches of ['prefix', 'token_prefix', 'token', 'substring'] as const) {
  const upstream = await openUpstream({ companies, profile: { dialect: { search: { matches } } } });
  try {
    const list = join(upstream.folder, 'names.txt');
    const report = join(upstream.folder, 'report.jsonl');
    writeFileSync(list, wanted.map(({ text }) => text).join('\n'));
    const { json, stderr } = await upstream.cli(
      'backfill',
      '--names',
      list,
      '--no-records',
      '--report',
      report,
    );
    if (json?.data?.run?.ended !== 'done') throw new Error(`the backfill did not end: ${stderr}`);
    const counts = countsOf(
      readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    wrongInAll += counts.wrong;
    const calls = json.data.run.calls_spent;
    const { names, right, wrong, first, among, without, none } = counts;
    print([matches, names, calls, (calls / names).toFixed(2), right, wrong, first, among, without, none]);
  } finally {
    await upstream.close();
  }
}
process.stdout.write(
  'first, among, without: the user decides, with the wanted company first, later or not among the candidates\n',
);
process.exitCode = wrongInAll === 0 ? 0 : 1;

interface Row {
  readonly given: string;
  readonly state: string;
  readonly entity_id: string | null;
  readonly candidates: readonly { readonly entity_id: string }[] | null;
}

function countsOf(rows: readonly Row[]) {
  const counts = { names: rows.length, right: 0, wrong: 0, first: 0, among: 0, without: 0, none: 0 };
  for (const { given, state, entity_id: found, candidates } of rows) {
    const id = meant.get(given);
    if (state === 'found') counts[found === id ? 'right' : 'wrong']++;
    else if (state === 'not_found') counts.none++;
    else {
      const at = (candidates ?? []).findIndex((candidate) => candidate.entity_id === id);
      counts[at === 0 ? 'first' : at > 0 ? 'among' : 'without']++;
    }
  }
  return counts;
}
