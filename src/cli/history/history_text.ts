import type { JsonObject } from '../../json/json.ts';
import { faithful } from '../../json/json.ts';
import { printable } from '../../printable.ts';
import { counted, localTime } from '../../report/figures.ts';
import type { History, HistoryChange, HistoryVersion } from '../../warehouse/company_history.ts';
import type { Output } from '../output.ts';
import { fitted } from '../text_layout.ts';

/** Describes one company (`header`) and its versions, most recent first (`text`). */
export function describeHistory(
  { company, versions, changes }: History,
  documents: ReadonlyMap<number, JsonObject>,
  output: Output,
): { readonly header: string; readonly text: string } {
  const byCall = Map.groupBy(changes, ({ callId }) => callId);
  const first = versions[0];
  const versionCalls = new Set(versions.map(({ callId }) => callId));
  const elsewhere = changes.filter(({ callId }) => !versionCalls.has(callId));
  const header = [
    output.style('bold', printable(`${company.entityId}  ${company.name ?? '(no name)'}`)),
    `  known since ${time(company.firstSeenAt)}, last seen ${time(company.lastSeenAt)}`,
    ...(company.goneAt === null
      ? []
      : [output.style('yellow', `  deleted from the registry, observed ${time(company.goneAt)}`)]),
    company.fetchedAt === null
      ? '  record never fetched'
      : `  record last fetched ${time(company.fetchedAt)}, ${counted(versions.length, 'version')}`,
  ];
  const text = [
    ...versions
      .toReversed()
      .flatMap((version) =>
        describeVersion(version, byCall.get(version.callId) ?? [], documents, version === first, output),
      ),
    ...(elsewhere.length === 0
      ? []
      : [
          '',
          '  changes without a new version',
          ...elsewhere.map((change) => describeChange(change, output)),
        ]),
  ];
  return { header: header.join('\n'), text: text.join('\n') };
}

function describeVersion(
  version: HistoryVersion,
  changes: readonly HistoryChange[],
  documents: ReadonlyMap<number, JsonObject>,
  isFirst: boolean,
  output: Output,
): string[] {
  const until = version.observedTo === null ? 'now' : time(version.observedTo);
  const { callId, runId, command, reason, status } = version;
  const document = documents.get(callId);
  return [
    '',
    output.style(
      'bold',
      `  ${version.isTombstone ? 'tombstone, ' : ''}${time(version.observedFrom)} – ${until}`,
    ),
    output.style(
      'dim',
      `    call ${callId} of run ${runId} (${command}): ${printable(reason)}, HTTP ${status ?? '–'}`,
    ),
    ...(isFirst
      ? ['    first version']
      : changes.length === 0
        ? ['    only volatile fields changed']
        : changes.map((change) => describeChange(change, output))),
    ...(document === undefined ? [] : [indented(document)]),
  ];
}

function describeChange({ path, before, after }: HistoryChange, output: Output): string {
  const field = path === '_gone_at' ? 'deleted' : path.replace(/^\//, '');
  const values = path === '_gone_at' ? shown(after) : `${shown(before)} → ${shown(after)}`;
  return fitted(`    ${printable(field)}: ${values}`, output.columns);
}

function shown(value: HistoryChange['before']): string {
  if (value === null) return '–';
  return value === '' ? '""' : printable(String(value));
}

function indented(document: JsonObject): string {
  return `    ${JSON.stringify(faithful(document), null, 2).replaceAll('\n', '\n    ')}`;
}

function time(iso: string): string {
  return localTime(Date.parse(iso));
}
