import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { SandboxCompanies } from '../warehouse/sandbox_companies.ts';
import { type Arrival, arrivalLine, PRIVATE_PREFIX } from './arrivals.ts';
import type { RegistryChange } from './changing_registry.ts';
import type { CompanyCatalogue } from './company_catalogue.ts';

interface InsightSources {
  readonly companies: SandboxCompanies;
  readonly catalogue: CompanyCatalogue;
  arrivals(): readonly Arrival[];
  changes(): readonly RegistryChange[];
}

/**
 * Adds endpoints for tests whose client runs in another process on this machine. They need no key, and requests to them
 * are not logged. All return JSON Lines. `/_sandbox/arrivals` returns all arrivals, `/_sandbox/entities` all records as
 * the service returns them, `/_sandbox/summaries` all list items, and `/_sandbox/changes` the automatic changes.
 */
export function addInsight(app: FastifyInstance, sources: InsightSources): void {
  const endpoints = {
    arrivals: () => sources.arrivals().map((arrival) => `${arrivalLine(arrival)}\n`),
    entities: () => entityLines(sources),
    summaries: () => summaryLines(sources),
    changes: () => sources.changes().map((change) => `${JSON.stringify(change)}\n`),
  };
  for (const [name, lines] of Object.entries(endpoints))
    app.get(PRIVATE_PREFIX + name, { schema: { hide: true } }, ({ ip }, reply) => {
      if (!LOOPBACK.test(ip)) return reply.callNotFound();
      return reply.type('application/jsonl; charset=utf-8').send(Readable.from(lines()));
    });
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

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

function* summaryLines({ companies, catalogue }: InsightSources): Generator<string> {
  for (const { id } of companies.all()) {
    const summary = catalogue.summary(id);
    if (summary !== null) yield `{"id":${JSON.stringify(id)},"document":${summary}}\n`;
  }
}
