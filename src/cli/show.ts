import { Command, Option } from '@commander-js/extra-typings';
import type { Database } from 'better-sqlite3';
import { recordIn } from '../dialect/body_values.ts';
import { parseBody, readBody } from '../dialect/response_body.ts';
import { FailedError } from '../errors.ts';
import { ExactNumber, faithful, isJsonObject, type Json, type JsonField, jsonFields } from '../json/json.ts';
import { printable, shellWord } from '../printable.ts';
import { localTime } from '../report/figures.ts';
import { answerTable } from '../warehouse/answer.ts';
import {
  type CompanyRow,
  companiesLike,
  findCompany,
  type HistoryChange,
  type HistoryVersion,
  readHistory,
} from '../warehouse/company_history.ts';
import { csvText } from '../warehouse/export/row_writers.ts';
import { forgottenIds } from '../warehouse/forget.ts';
import { listedFields, responseTexts, servedRecords } from '../warehouse/serve_records.ts';
import { define } from './command.ts';
import { lines, type Output, snakeKeys } from './output.ts';
import { fitted, tableLines } from './text_layout.ts';

/** `show ID`: prints one company's state and record, and with `--history` its versions. */
export default () => companyCommand('show');

/** `history ID`: another name for `show ID --history`. */
export const historyCommand = () => companyCommand('history');

function companyCommand(name: 'show' | 'history'): Command {
  const isShow = name === 'show';
  const versions = new Option('--history', 'also print every stored version, with its changes and calls');
  return define(
    'reader',
    new Command(name)
      .description(
        isShow
          ? "Prints one company's state and latest record. It sends no calls and needs no key. If the record " +
              'was never fetched, it prints the search result.'
          : 'Another name for `show --history`.',
      )
      .argument('<id>', 'the entity id, as in the registry')
      .option('--csv', 'print the fields as CSV, one field per line')
      .addOption(versions.hideHelp(!isShow))
      .option('--documents', 'with --history: also print the complete record of each version')
      .addHelpText('after', isShow ? EXAMPLES : ''),
    ({ db, config, output }, id, flags) => {
      const root = config.dialect?.entity.root ?? '';
      const shown = shownCompany(db, id, root);
      if (flags.csv) return output.document(csvText(['field', 'value'], fieldsOf(shown)));
      const data = dataOf(shown);
      const text = describe(shown, output);
      if (!flags.history && isShow) return { data, text };
      const history = historyOf(db, id, flags.documents ? root : null);
      return {
        data: { ...data, versions: history.versions.map(versionData) },
        text: lines(text, describeHistory(history, output)),
      };
    },
  );
}

const EXAMPLES = `
Examples:
  $ registry-mirror show 00034567
  $ registry-mirror show 00034567 --csv
  $ registry-mirror show 00034567 --history --documents
  $ registry-mirror show 00034567 --history --json | jq '.data.versions[].changes'
  $ registry-mirror show 00034567 --json | jq .data.record`;

/** A company with the fields from its record, or from its search result if the record was not fetched. */
interface ShownCompany {
  readonly company: CompanyRow;
  readonly record: Json;
  readonly summary: Json;
}

function shownCompany(db: Database, id: string, root: string): ShownCompany {
  const company = findCompany(db, id);
  if (company === null) throw unknownCompany(db, id);
  const text = lastText(db, id);
  const record = recordIn(root, text === null ? null : parseBody(text), id) ?? null;
  return { company, record, summary: record === null ? listedFields(db, id) : null };
}

/** Returns the last stored response with the record, also of a company that is gone. */
function lastText(db: Database, id: string): string | null {
  const state = servedRecords(db).latest(id);
  if (state.is === 'record') return state.text;
  const last = state.is === 'gone' ? readHistory(db, id)?.versions.at(-1) : undefined;
  return last === undefined ? null : responseTexts(db)(last.callId);
}

/** Creates the error for an id that is not in the mirror. The error's hint lists similar ids and names. */
function unknownCompany(db: Database, id: string): FailedError {
  if (forgottenIds(db).has(id))
    return new FailedError(`company ${printable(id)} was erased with \`registry-mirror forget\``, {
      hint: `To fetch it again, first run: registry-mirror forget --undo ${shellWord(id)}`,
    });
  const like = companiesLike(db, id, 5).map(({ entityId, name }) =>
    name === null ? entityId : `${entityId} (${name})`,
  );
  const hint =
    like.length === 0
      ? `Search its name: registry-mirror search NAME. Or fetch it: ${fetchCommand(id)}`
      : printable(`Did you mean ${like.join(', ')}?`);
  return new FailedError(`company ${printable(id)} is not in the mirror`, { hint });
}

function fetchCommand(id: string): string {
  return `echo ${shellWord(id)} | registry-mirror backfill --ids -`;
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
  const { goneAt, fetchedAt } = company;
  const columns = [
    { header: '', shrinks: true, cell: ([path]: Field) => path },
    { header: '', shrinks: true, least: 20, cell: ([, value]: Field) => value ?? '–' },
  ];
  const [, ...fields] = tableLines(columns, fieldsOf(shown), output.columns - 2);
  return lines(
    output.style('bold', printable(`${company.entityId}  ${company.name ?? '(no name)'}`)),
    `  known since ${localTime(company.firstSeenAt)}, last seen ${localTime(company.lastSeenAt)}`,
    goneAt !== null && output.style('yellow', `  gone from the registry, observed ${localTime(goneAt)}`),
    fetchedAt === null
      ? `  its record was never fetched; fetch it: ${fetchCommand(company.entityId)}`
      : `  record fetched ${localTime(fetchedAt)}`,
    fetchedAt !== null && record === null && '  the response with the record was deleted',
    '',
    ...fields.map((line) => `  ${line}`),
  );
}

type Field = [path: string, value: string | null];

/** Returns each field's path and value. The value is null if the field is null, an empty list or an empty object. */
function fieldsOf({ record, summary }: ShownCompany): Field[] {
  const document = record ?? summary;
  if (!isJsonObject(document)) return [];
  return jsonFields(document, Infinity).map(({ keys, value }) => [keys.join('.'), textOf(value)]);
}

function textOf(value: JsonField['value']): string | null {
  if (value instanceof ExactNumber) return value.digits;
  return typeof value === 'object' ? null : String(value);
}

/** One version of a record. */
interface ShownVersion extends HistoryVersion {
  readonly changes: readonly HistoryChange[];
  /** The whole record, if it is wanted and still stored. */
  readonly document: Json;
}

interface ShownHistory {
  /** The versions, oldest first. */
  readonly versions: readonly ShownVersion[];
  /** The changes that no stored version explains. */
  readonly others: readonly HistoryChange[];
}

/** Returns a company's versions. Reads their records if `root` is the records' place in a response. */
function historyOf(db: Database, id: string, root: string | null): ShownHistory {
  const { versions, changes } = readHistory(db, id) ?? { versions: [], changes: [] };
  const answers = answerTable(db);
  const documentOf = (callId: number): Json => {
    const stored = root === null ? null : answers.read(callId);
    if (stored === null) return null;
    const { json } = readBody(stored.body, stored.headers['content-type'] ?? '');
    return recordIn(root ?? '', json, id) ?? null;
  };
  const calls = new Set(versions.map(({ callId }) => callId));
  return {
    versions: versions.map((version) => ({
      ...version,
      changes: changes.filter(({ callId }) => callId === version.callId),
      document: documentOf(version.callId),
    })),
    others: changes.filter(({ callId }) => !calls.has(callId)),
  };
}

/** Returns one element of `versions` in `show --history --json`, as documented. */
function versionData({ changes, document, ...version }: ShownVersion) {
  const { callId, runId, command, reason, status, observedFrom, observedTo, isTombstone } = version;
  return {
    observed_from: observedFrom,
    observed_to: observedTo,
    is_tombstone: isTombstone,
    call: snakeKeys({ callId, runId, command, reason, status }),
    changes: changes.map(({ path, notBefore, before, after }) => ({
      path,
      not_before: notBefore,
      before: typeof before === 'bigint' ? before.toString() : before,
      after: typeof after === 'bigint' ? after.toString() : after,
    })),
    ...(isJsonObject(document) && { document: faithful(document) }),
  };
}

/** Describes versions, most recent first. */
function describeHistory({ versions, others }: ShownHistory, output: Output): string {
  return lines(
    ...versions.map((version, at) => describeVersion(version, at === 0, output)).reverse(),
    others.length > 0 && '\n  changes without a new version',
    ...others.map((change) => describeChange(change, output)),
  );
}

function describeVersion(version: ShownVersion, isFirst: boolean, output: Output): string {
  const { callId, runId, command, reason, status, isTombstone, observedFrom, observedTo } = version;
  const { changes, document } = version;
  const until = observedTo === null ? 'now' : localTime(observedTo);
  const call = `call ${callId} of run ${runId} (${command}), HTTP ${status ?? '–'}, sent because: ${printable(reason)}`;
  return lines(
    '',
    output.style('bold', `  ${isTombstone ? 'tombstone, ' : ''}${localTime(observedFrom)} – ${until}`),
    output.style('dim', `    ${call}`),
    isFirst && '    first version',
    !isFirst && changes.length === 0 && '    only volatile fields changed',
    ...(isFirst ? [] : changes.map((change) => describeChange(change, output))),
    isJsonObject(document) && `    ${JSON.stringify(faithful(document), null, 2).replaceAll('\n', '\n    ')}`,
  );
}

function describeChange({ path, before, after, observedAt }: HistoryChange, output: Output): string {
  if (path === '_gone_at')
    return `    ${after === null ? 'back in the registry' : 'gone from the registry'}, observed ${localTime(observedAt)}`;
  const values = `${valueText(before)} → ${valueText(after)}`;
  return fitted(`    ${printable(path.replace(/^\//, ''))}: ${values}`, output.columns);
}

function valueText(value: HistoryChange['before']): string {
  if (value === null) return '–';
  return value === '' ? '""' : printable(String(value));
}
