import { Command } from '@commander-js/extra-typings';
import { UsageError } from '../errors.ts';
import { printable, shellWord } from '../printable.ts';
import { counted } from '../report/figures.ts';
import { type CompanyMatch, companySearch } from '../warehouse/company_search.ts';
import { csvText } from '../warehouse/export/row_writers.ts';
import { define, wholeFrom } from './command.ts';
import type { Output } from './output.ts';
import { tableText } from './text_layout.ts';

/** `search NAME`: finds companies in the mirror. */
export default () =>
  define(
    'reader',
    new Command('search')
      .description(
        'Searches the names, former names and identifiers of all known companies. It sends no calls and needs no ' +
          'key. The best match comes first. A score of 1 means the same name or identifier. Typing errors, accents, ' +
          'another legal form or missing words lower the score.',
      )
      .argument('<name...>', 'name, part of a name, or identifier')
      .option('--limit <n>', 'show at most n companies', wholeFrom(1), 20)
      .option('--csv', 'print CSV')
      .addHelpText('after', EXAMPLES),
    ({ db, output }, words, { limit, csv }) => {
      const query = words.join(' ');
      if (query.trim() === '')
        throw new UsageError('the name is empty', { hint: 'Pass a name or an identifier.' });
      const companies = companySearch(db)(query, limit).map(companyData);
      const cells = companies.map((row) => COLUMNS.map((name) => row[name]));
      if (csv) return output.document(csvText(COLUMNS, cells));
      return { data: { query, companies }, text: describe({ query, companies, limit }, output) };
    },
  );

const EXAMPLES = `
Examples:
  $ registry-mirror search acme
  $ registry-mirror search "Société Générale" --limit 5
  $ registry-mirror search acme --csv > acme.csv
  $ registry-mirror search acme --json | jq -r '.data.companies[].entity_id'`;

/** Returns one row of `search --json` and `search --csv`, as documented. */
function companyData({ entityId, name, state, goneAt, score, matched, matchedText }: CompanyMatch) {
  return {
    entity_id: entityId,
    name,
    state,
    gone_at: goneAt,
    score: Math.round(score * 1000) / 1000,
    matched,
    matched_text: matchedText,
  };
}

const COLUMNS = ['entity_id', 'name', 'state', 'gone_at', 'score', 'matched', 'matched_text'] as const;

interface Found {
  readonly query: string;
  readonly companies: readonly ReturnType<typeof companyData>[];
  readonly limit: number;
}

function matchText({ matched, matched_text }: Found['companies'][number]): string {
  if (matched === 'name') return '';
  return `${matched === 'identifier' ? 'identifier' : 'former name'} ${matched_text}`;
}

function describe({ query, companies, limit }: Found, output: Output): string {
  const hasOthers = companies.some(({ matched }) => matched !== 'name');
  const table = tableText(
    output,
    [
      { header: 'score', align: 'right', cell: ({ score }) => score.toFixed(2) },
      { header: 'id', least: 12, shrinks: true, cell: ({ entity_id }) => entity_id },
      { header: 'name', shrinks: true, least: 20, cell: ({ name }) => name ?? '(no name)' },
      { header: 'state', cell: ({ state }) => state },
      ...(hasOthers ? [{ header: 'matched', shrinks: true, optional: true, cell: matchText }] : []),
    ],
    companies,
  );
  if (table === null)
    return `No known company matches "${printable(query)}". If calls are left, search the registry itself: registry-mirror backfill --query ${shellWord(query)}`;
  const [number, isCut] = [companies.length, companies.length === limit];
  const title = `${isCut ? 'The first ' : ''}${counted(number, 'company', 'companies')}${number === 1 ? '' : ', best first'}`;
  return `${title}${isCut ? '; --limit N shows more' : ''}\n${table}`;
}
