import { Command } from 'commander';
import { requireDialect } from '../config/config.ts';
import { recordIn } from '../dialect/body_values.ts';
import { readBody } from '../dialect/response_body.ts';
import { faithful, isJsonObject, type JsonObject } from '../json/json.ts';
import { answerTable } from '../warehouse/answer.ts';
import { type History, readHistory } from '../warehouse/company_history.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { type Context, type SharedFlags, withSharedOptions } from './context.ts';
import { describeHistory } from './history/history_text.ts';
import { unknownCompany } from './unknown_company.ts';
import { withWarehouse } from './with_warehouse.ts';

interface HistoryFlags extends SharedFlags {
  readonly documents?: boolean;
}

/** `history ID`: shows one company's versions, with their changes and calls. */
export function historyCommand(): Command {
  const command = new Command('history')
    .description(
      'Shows every stored version of a record: when it was observed, which fields changed, and which call and run ' +
        'fetched it. `show --history` shows the same below the current record. Sends no calls.',
    )
    .argument('<id>', 'the entity id, as in the registry')
    .option('--documents', 'also print the complete record of each version')
    .addHelpText('after', EXAMPLES)
    .action((id: string, flags: HistoryFlags) => history(id, flags));
  return withSharedOptions(command);
}

function history(id: string, flags: HistoryFlags): Promise<void> {
  return withWarehouse(flags, 'read', (warehouse, context) => {
    const { header, text, data } = historyOf(id, flags, warehouse, context);
    context.output.result({ command: 'history', data, text: `${header}\n${text}` });
  });
}

/** Returns a company's versions as data and as text, for `history` and `show --history`. */
export function historyOf(
  id: string,
  flags: HistoryFlags,
  warehouse: Warehouse,
  { config, output }: Context,
) {
  const found = readHistory(warehouse.db, id);
  if (found === null) throw unknownCompany(warehouse.db, id);
  const documents = flags.documents
    ? documentsOf(found, warehouse, requireDialect(config).entity.root)
    : new Map<number, JsonObject>();
  return { ...describeHistory(found, documents, output), data: historyData(found, documents) };
}

/** Returns the stored records by call id. Pruned responses are omitted. */
function documentsOf(
  { company, versions }: History,
  { db }: Warehouse,
  root: string,
): Map<number, JsonObject> {
  const answers = answerTable(db);
  return new Map(
    versions.flatMap(({ callId }) => {
      const stored = answers.read(callId);
      if (stored === null) return [];
      const { json } = readBody(stored.body, stored.headers['content-type'] ?? '');
      const document = recordIn(root, json, company.entityId);
      return isJsonObject(document) ? [[callId, document] as const] : [];
    }),
  );
}

/** Returns the `data` object of `history --json`, as documented. */
function historyData({ company, versions, changes }: History, documents: ReadonlyMap<number, JsonObject>) {
  const byCall = Map.groupBy(changes, ({ callId }) => callId);
  return {
    entity_id: company.entityId,
    name: company.name,
    first_seen_at: company.firstSeenAt,
    last_seen_at: company.lastSeenAt,
    fetched_at: company.fetchedAt,
    gone_at: company.goneAt,
    versions: versions.map((version) => {
      const document = documents.get(version.callId);
      return {
        observed_from: version.observedFrom,
        observed_to: version.observedTo,
        is_tombstone: version.isTombstone,
        call: {
          call_id: version.callId,
          run_id: version.runId,
          command: version.command,
          reason: version.reason,
          status: version.status,
        },
        changes: (byCall.get(version.callId) ?? []).map(({ path, notBefore, before, after }) => ({
          path,
          not_before: notBefore,
          before: typeof before === 'bigint' ? before.toString() : before,
          after: typeof after === 'bigint' ? after.toString() : after,
        })),
        ...(document === undefined ? {} : { document: faithful(document) }),
      };
    }),
  };
}

const EXAMPLES = `
Examples:
  $ registry-mirror history 00034567
  $ registry-mirror history 00034567 --documents
  $ registry-mirror history 00034567 --json | jq '.data.versions[].changes'`;
