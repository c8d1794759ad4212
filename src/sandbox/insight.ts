import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { SandboxCompanies } from '../warehouse/sandbox_companies.ts';
import { type Arrival, arrivalLine } from './arrivals.ts';
import type { RegistryChange } from './changing_registry.ts';
import type { CompanyCatalogue } from './company_catalogue.ts';

/**
 * Endpoints for tests whose client runs in another process. They need no key, and requests to them are not counted. All
 * return JSON Lines. `/_sandbox/arrivals` returns all arrivals, `/_sandbox/entities` all records as the service returns
 * them, `/_sandbox/summaries` all list items, and `/_sandbox/changes` the automatic changes.
 */
interface InsightSources {
  readonly companies: SandboxCompanies;
  readonly catalogue: CompanyCatalogue;
  readonly log: { arrivals(): readonly Arrival[] };
  readonly history: { changes(): readonly RegistryChange[] };
}

const PREFIX = '/_sandbox/';

/** Returns whether a request is for these endpoints and comes from an address on this machine. */
export function isInsight({ url, socket }: IncomingMessage): boolean {
  return (url?.startsWith(PREFIX) ?? false) && LOOPBACK.test(socket.remoteAddress ?? '');
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

export function respondWithInsight(
  request: IncomingMessage,
  response: ServerResponse,
  sources: InsightSources,
): void {
  const lines = linesFor(request.url?.slice(PREFIX.length) ?? '', sources);
  if (lines === null || request.method !== 'GET') {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/jsonl; charset=utf-8' });
  Readable.from(lines).pipe(response);
}

/** Generates one line `{"id": …, "gone": …, "document": …}` for each company and each tombstone. */
export function* entityLines({
  companies,
  catalogue,
}: Pick<InsightSources, 'companies' | 'catalogue'>): Generator<string> {
  for (const { id } of companies.all()) {
    const found = catalogue.document(id);
    if (found !== null) yield `{"id":${JSON.stringify(id)},"gone":${found.gone},"document":${found.text}}\n`;
  }
}

function linesFor(name: string, sources: InsightSources): Iterable<string> | null {
  switch (name) {
    case 'arrivals':
      return arrivalLines(sources.log.arrivals());
    case 'entities':
      return entityLines(sources);
    case 'changes':
      return sources.history.changes().map((change) => `${JSON.stringify(change)}\n`);
    case 'summaries':
      return summaryLines(sources);
    default:
      return null;
  }
}

function* arrivalLines(arrivals: Iterable<Arrival>): Generator<string> {
  for (const arrival of arrivals) yield `${arrivalLine(arrival)}\n`;
}

function* summaryLines({ companies, catalogue }: InsightSources): Generator<string> {
  for (const { id } of companies.all()) {
    const summary = catalogue.summary(id);
    if (summary !== null) yield `{"id":${JSON.stringify(id)},"document":${summary}}\n`;
  }
}
