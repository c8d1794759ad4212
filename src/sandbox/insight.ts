import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Catalogue } from '../api/catalogue.ts';
import { type Arrival, lineOf } from './arrivals.ts';
import type { RegistryChange } from './changing_registry.ts';
import type { CompanyStore } from './company_store.ts';

/**
 * The truth, for scripts that check a client from outside: not part of the service, no key, not counted.
 *
 * `/_sandbox/arrivals` every arrival, `/_sandbox/entities` every record as the service would tell it now,
 * `/_sandbox/summaries` every list item, `/_sandbox/changes` what happened by itself; all as JSON Lines.
 */
export interface InsightInto {
  readonly companies: CompanyStore;
  readonly catalogue: Catalogue;
  readonly log: { arrivals(): readonly Arrival[] };
  readonly life: { changes(): readonly RegistryChange[] };
}

const PREFIX = '/_sandbox/';

/** Only for who sits at the same machine, whatever address the sandbox listens on. */
export function isInsight({ url, socket }: IncomingMessage): boolean {
  return (url?.startsWith(PREFIX) ?? false) && LOOPBACK.test(socket.remoteAddress ?? '');
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

export function answerInsight(request: IncomingMessage, response: ServerResponse, into: InsightInto): void {
  const lines = linesFor(request.url?.slice(PREFIX.length) ?? '', into);
  if (lines === null || request.method !== 'GET') {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/jsonl; charset=utf-8' });
  Readable.from(lines).pipe(response);
}

/** `{"id": …, "gone": …, "document": …}` for every company and tombstone. */
export function* entityLines({
  companies,
  catalogue,
}: Pick<InsightInto, 'companies' | 'catalogue'>): Generator<string> {
  for (const { id } of companies.all()) {
    const record = catalogue.record(id);
    if (record !== null)
      yield `{"id":${JSON.stringify(id)},"gone":${record.gone},"document":${record.text}}\n`;
  }
}

function linesFor(what: string, into: InsightInto): Iterable<string> | null {
  switch (what) {
    case 'arrivals':
      return arrivalLines(into.log.arrivals());
    case 'entities':
      return entityLines(into);
    case 'changes':
      return into.life.changes().map((change) => `${JSON.stringify(change)}\n`);
    case 'summaries':
      return summaryLines(into);
    default:
      return null;
  }
}

function* arrivalLines(arrivals: Iterable<Arrival>): Generator<string> {
  for (const arrival of arrivals) yield `${lineOf(arrival)}\n`;
}

function* summaryLines({ companies, catalogue }: InsightInto): Generator<string> {
  for (const { id } of companies.all()) {
    const summary = catalogue.summary(id);
    if (summary !== null) yield `{"id":${JSON.stringify(id)},"document":${summary}}\n`;
  }
}
