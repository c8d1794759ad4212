import { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { counted } from '../report/figures.ts';
import { type CompanyMatch, companySearch } from '../warehouse/company_search.ts';
import { csvText } from '../warehouse/export/row_writers.ts';
import { type SharedFlags, wholeNumber, withSharedOptions } from './context.ts';
import type { Output } from './output.ts';
import { tableLines } from './text_layout.ts';
import { withWarehouse } from './with_warehouse.ts';

interface SearchFlags extends SharedFlags {
  readonly limit: number;
  readonly csv?: boolean;
}

/** `search NAME`: finds companies in the mirror. */
export function searchCommand(): Command {
  const command = new Command('search')
    .description(
      'Searches the names, former names and identifiers of all known companies. It sends no calls and needs no ' +
        'key. The best match comes first. A score of 1 means the same name or identifier. Typing errors, accents, ' +
        'another legal form or missing words lower the score.',
    )
    .argument('<name...>', 'name, part of a name, or identifier')
    .option('--limit <n>', 'show at most n companies', wholeNumber, 20)
    .option('--csv', 'print CSV')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: SearchFlags) => search(words.join(' '), flags));
  return withSharedOptions(command);
}

const EXAMPLES = `
Examples:
  $ registry-mirror search acme
  $ registry-mirror search "Société Générale" --limit 5
  $ registry-mirror search acme --csv > acme.csv
  $ registry-mirror search acme --json | jq -r '.data.companies[].entity_id'`;

function search(query: string, flags: SearchFlags): Promise<void> {
  if (query.trim() === '')
    throw new UsageError('the name is empty', { hint: 'Pass a name or an identifier.' });
  return withWarehouse(flags, 'read', ({ db }, { output }) => {
    const companies = companySearch(db)(query, flags.limit).map(companyData);
    const cells = companies.map((row) => COLUMNS.map((name) => row[name]));
    if (flags.csv) output.document(csvText(COLUMNS, cells));
    else
      output.result({
        command: 'search',
        data: { query, companies },
        text: describe(query, companies, output),
      });
  });
}

/** Returns one row of `search --json` and `search --csv`, as documented. */
function companyData(match: CompanyMatch) {
  return {
    entity_id: match.entityId,
    name: match.name,
    state: match.state,
    gone_at: match.goneAt,
    score: Math.round(match.score * 1000) / 1000,
    matched: match.matched,
    matched_text: match.matchedText,
  };
}

const COLUMNS = ['entity_id', 'name', 'state', 'gone_at', 'score', 'matched', 'matched_text'] as const;

function describe(
  query: string,
  companies: readonly ReturnType<typeof companyData>[],
  output: Output,
): string {
  if (companies.length === 0)
    return `No known company matches "${query}". Search the registry itself, which spends calls: registry-mirror backfill --query NAME`;
  const [header = '', ...lines] = tableLines(
    [
      { header: 'score', align: 'right' },
      { header: 'id', least: 12, shrinks: true },
      { header: 'name', shrinks: true, least: 20 },
      { header: 'state' },
      { header: 'matched', shrinks: true, optional: true },
    ],
    companies.map(({ score, entity_id, name, state, matched, matched_text }) => [
      score.toFixed(2),
      entity_id,
      name ?? '(no name)',
      state,
      matched === 'name' ? '' : `${matched === 'identifier' ? 'identifier' : 'former name'} ${matched_text}`,
    ]),
    output.columns,
  );
  const most = companies.length === 1 ? '' : ', best first';
  return [
    `${counted(companies.length, 'company', 'companies')}${most}`,
    output.style('dim', header),
    ...lines,
  ].join('\n');
}
