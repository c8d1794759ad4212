import { argumentsOf, say } from '../../support/script.ts';
import { heldOut, readCompanies, shuffle } from '../../support/simulation/companies.ts';
import { discover } from '../../support/simulation/discover.ts';
import { type Company, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';
import { plainTree, twoLetterSweep } from './baselines.ts';
import type { Bound } from './caller.ts';
import { callsPerBest, fewestCalls, type Growth, spread } from './figures.ts';
import { freeAccount, identifierPrefixes, newCompanies } from './identifiers.ts';
import { ROWS, type Row, settingsOf, titleOf } from './rows.ts';

/**
 * Measures how many searches the planner needs to discover a registry. Compares it with two baselines, which are a
 * sweep of all letter pairs and a tree without predictions. Further tables show how many companies a free account finds
 * in 100 calls, and how many calls find new companies. A row ends after 12 times the lowest possible number of calls,
 * or at its time limit.
 *
 *   node test/bench/discovery/table.ts [--data FILE] [--held-out] [--rows TEXT] [--seeds 1] [--seconds 60]
 *                                      [--companies 20000] [--quick]
 */
const values = argumentsOf({
  data: null,
  heldOut: false,
  rows: '',
  seeds: 1,
  seconds: null,
  companies: null,
  quick: false,
});
const MOST_MULTIPLE = 12;
const seeds = Array.from({ length: values.seeds }, (_, at) => at + 1);
const mostMs = Number(values.seconds ?? (values.quick ? 10 : 60)) * 1000;
const syntheticCount = Number(values.companies ?? (values.quick ? 3000 : 20_000));

const from = values.data === null ? syntheticCompanies(syntheticCount) : readCompanies(values.data);
const companies = values.heldOut ? heldOut(from) : from;
say(
  `${companies.length.toLocaleString('en')} companies${values.heldOut ? ' held out' : ''}, ${seeds.length} seed(s), at most ${mostMs / 1000} s a run\n`,
);
say(
  '| search | cap | page | two-letter sweep | plain tree | planner | spread at 99 % | ms a choice | seconds |',
);
say('|---|---|---|---|---|---|---|---|---|');
for (const row of ROWS) {
  // This row needs a file of names in a script with thousands of characters.
  if (row.largeAlphabet === true || !titleOf(row).includes(values.rows)) continue;
  say(tableRow(row));
}
if ('identifiers'.includes(values.rows)) {
  const scale = values.quick ? 0.05 : 1;
  say(`\n${freeAccount(companies, mostMs).join('\n')}`);
  say(`\n${identifierPrefixes(200_000 * scale, mostMs).join('\n')}`);
  say(`\n${newCompanies(100_000 * scale, mostMs).join('\n')}`);
}

function tableRow(row: Row): string {
  const startedMs = performance.now();
  const bound: Bound = {
    mostCalls: MOST_MULTIPLE * fewestCalls({ companies: companies.length, pageSize: row.pageSize }),
    enough: Math.ceil(0.99 * companies.length),
    mostMs,
  };
  const registries = seeds.map((seed) => new Registry(inOrder(seed), settingsOf(row)));
  const growth = (known: readonly number[]): Growth => ({
    known,
    companies: companies.length,
    pageSize: row.pageSize,
  });
  const plain = (search: typeof plainTree) =>
    row.semantics === 'token' ? '–' : callsPerBest(registries.map((one) => growth(search(one, bound))));
  const runs = registries.map((registry) => discover(registry, bound));
  const planned = runs.map(({ known }) => growth(known));
  const choices = runs.flatMap(({ choiceMs }) => choiceMs).sort((a, b) => a - b);
  const cells = [
    plain(twoLetterSweep),
    plain(plainTree),
    callsPerBest(planned),
    spread(planned),
    (choices[choices.length >> 1] ?? 0).toFixed(2),
    ((performance.now() - startedMs) / 1000).toFixed(0),
  ];
  return `| ${titleOf(row)} | ${cells.join(' | ')} |`;
}

/**
 * The order in which every query lists its results. It does not depend on the names, as if companies were sorted by
 * date.
 */
function inOrder(seed: number): Company[] {
  return shuffle(companies, seed);
}
