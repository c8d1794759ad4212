import { Command } from 'commander';
import { recordIn } from '../dialect/body_values.ts';
import { ExactNumber, faithful, isJsonObject, type Json, parseJson } from '../json/json.ts';
import { type JsonField, jsonFields } from '../json/json_fields.ts';
import { printable } from '../printable.ts';
import { localTime } from '../report/figures.ts';
import { csvText } from '../warehouse/export/row_writers.ts';
import { type CompanyRow, companyPages } from '../warehouse/page_queries.ts';
import { listedFields, servedRecords } from '../warehouse/serve_records.ts';
import { type SharedFlags, withSharedOptions } from './context.ts';
import { historyOf } from './history.ts';
import type { Output } from './output.ts';
import { tableLines } from './text_layout.ts';
import { unknownCompany } from './unknown_company.ts';
import { withWarehouse } from './with_warehouse.ts';

interface ShowFlags extends SharedFlags {
  readonly csv?: boolean;
  readonly history?: boolean;
  readonly documents?: boolean;
}

/** `show ID`: prints one company's state and record. */
export function showCommand(): Command {
  const command = new Command('show')
    .description(
      "Prints one company's state and latest record. It sends no calls and needs no key. If the record " +
        'was never fetched, it prints the search result.',
    )
    .argument('<id>', 'the entity id, as in the registry')
    .option('--csv', 'print the fields as CSV, one field per line')
    .option('--history', 'also print every stored version, with its changes and calls')
    .option('--documents', 'with --history: also print the complete record of each version')
    .addHelpText('after', EXAMPLES)
    .action((id: string, flags: ShowFlags) => show(id, flags));
  return withSharedOptions(command);
}

const EXAMPLES = `
Examples:
  $ registry-mirror show 00034567
  $ registry-mirror show 00034567 --csv
  $ registry-mirror show 00034567 --history
  $ registry-mirror show 00034567 --json | jq .data.record`;

/** A company with the fields from its record, or from its search result if the record was not fetched. */
interface ShownCompany {
  readonly company: CompanyRow;
  readonly record: Json;
  readonly summary: Json;
}

function show(id: string, flags: ShowFlags): Promise<void> {
  return withWarehouse(flags, 'read', (warehouse, { config, output }) => {
    const { db } = warehouse;
    const company = companyPages(db).company(id);
    if (company === null) throw unknownCompany(db, id);
    const state = servedRecords(db).latest(id);
    const response = state.is === 'record' ? parseJson(state.text) : null;
    const record = recordIn(config.dialect?.entity.root ?? '', response, id) ?? null;
    const shown = { company, record, summary: record === null ? listedFields(db, id) : null };
    const history = flags.history ? historyOf(id, flags, warehouse, { config, output }) : null;
    if (flags.csv) output.document(csvText(['field', 'value'], fieldsOf(shown)));
    else
      output.result({
        command: 'show',
        data: { ...dataOf(shown), ...(history === null ? {} : { versions: history.data.versions }) },
        text: [describe(shown, output), ...(history === null ? [] : [history.text])].join('\n'),
      });
  });
}

/** Returns the `data` object of `show --json`, as documented. */
function dataOf({ company, record, summary }: ShownCompany) {
  return {
    entity_id: company.entityId,
    name: company.name,
    state: company.state,
    first_seen_at: company.firstSeenAt,
    last_seen_at: company.lastSeenAt,
    fetched_at: company.fetchedAt,
    changed_at: company.changedAt,
    gone_at: company.goneAt,
    record: faithful(record),
    search_result: faithful(summary),
  };
}

function describe(shown: ShownCompany, output: Output): string {
  const { company, record } = shown;
  const [, ...lines] = tableLines(
    [
      { header: '', shrinks: true },
      { header: '', shrinks: true, least: 20 },
    ],
    fieldsOf(shown),
    output.columns - 2,
  );
  return [
    output.style('bold', printable(`${company.entityId}  ${company.name ?? '(no name)'}`)),
    ...(company.goneAt === null
      ? []
      : [
          output.style(
            'yellow',
            `  gone from the registry, observed ${localTime(Date.parse(company.goneAt))}`,
          ),
        ]),
    company.fetchedAt === null
      ? `  listed by a search ${localTime(Date.parse(company.lastSeenAt))}; its record was never fetched`
      : `  record fetched ${localTime(Date.parse(company.fetchedAt))}`,
    ...(company.fetchedAt !== null && record === null ? ['  the stored record was deleted'] : []),
    '',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

function fieldsOf({ record, summary }: ShownCompany): string[][] {
  const document = record ?? summary;
  if (!isJsonObject(document)) return [];
  return jsonFields(document, Number.POSITIVE_INFINITY).map(({ keys, value }) => [
    keys.join('.'),
    textOf(value),
  ]);
}

function textOf(value: JsonField['value']): string {
  if (value === null) return '';
  if (value instanceof ExactNumber) return value.digits;
  return typeof value === 'object' ? '' : String(value);
}
