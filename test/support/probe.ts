import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallKind } from '../../src/call.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/load_config.ts';
import { withDialect } from '../../src/config/write_config.ts';
import type { Dialect } from '../../src/dialect/dialect.ts';
import { openWorkspace } from '../../src/operations/assemble.ts';
import { type ProbeReport, probeUpstream } from '../../src/operations/probe.ts';
import { ALL_KINDS } from '../../src/operations/run.ts';
import type { Hints } from '../../src/probe/beliefs.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { recordDocuments } from '../../src/warehouse/export/rowset.ts';
import { NO_HINTS } from './probe_client.ts';
import { syncAll } from './sync.ts';

/** A folder whose configuration has no dialect. */
export interface Place {
  readonly directory: string;
  readonly path: string;
  text(): string;
  write(text: string): void;
  config(): Config;
  remove(): void;
}

export function placeFor(baseUrl: string, key: string): Place {
  const directory = mkdtempSync(join(tmpdir(), 'probe-'));
  const path = join(directory, 'registry-mirror.yaml');
  const place: Place = {
    directory,
    path,
    text: () => readFileSync(path, 'utf8'),
    write: (text) => writeFileSync(path, text),
    config: () => parseConfig({ path, text: place.text(), env: {} }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
  place.write(
    `# kept\nversion: 1\nupstream: { base_url: "${baseUrl}", api_key: "${key}" }\nallowance: { unlimited: true, per_minute: unlimited }\n`,
  );
  return place;
}

export interface ProbeOptions {
  readonly hints?: Hints;
  readonly maxCalls?: number;
  readonly clock?: Clock;
}

/** Runs `probe` and writes the dialect into the configuration, as the command does. */
export async function probeAt(place: Place, options: ProbeOptions = {}): Promise<ProbeReport> {
  const { hints = NO_HINTS, maxCalls = 16, clock = systemClock } = options;
  const workspace = openWorkspace(place.config(), clock);
  try {
    const signal = new AbortController().signal;
    const report = await probeUpstream(workspace, {
      hints,
      maxCalls,
      maxMinutes: Number.POSITIVE_INFINITY,
      signal,
    });
    if (report.draft !== null) {
      const { addresses, standardJoin } = report.beliefs;
      const found = addresses.value === standardJoin ? null : addresses.value;
      const paths = found && { search: found.search, entity: found.entity, stats: found.stats };
      place.write(
        withDialect(place.text(), {
          dialect: report.draft.dialect,
          remarks: new Map(),
          open: report.draft.open,
          paths,
        }),
      );
    }
    return report;
  } finally {
    workspace.close();
  }
}

export interface Mirrored {
  /** The ids of all known companies. */
  readonly known: ReadonlySet<string>;
  /** The current documents by id. */
  readonly records: ReadonlyMap<string, string>;
  readonly ended: string;
  readonly calls: number;
  readonly gone: number;
}

/** Runs `sync` until it ends, or until it has made `maxCalls` calls. */
export async function syncAt(
  config: Config,
  maxCalls = Number.POSITIVE_INFINITY,
  kinds: ReadonlySet<CallKind> = ALL_KINDS,
): Promise<Mirrored> {
  const workspace = openWorkspace(config);
  try {
    const report = await syncAll(workspace, { kinds, focus: config.focus, maxCalls });
    const { db } = workspace.warehouse;
    const ids = db.prepare<[], string>('SELECT entity_id FROM _company').pluck().all();
    const documentOf = recordDocuments(db);
    const versions = db
      .prepare<[], { id: string; callId: number }>(
        'SELECT entity_id AS id, _call_id AS callId FROM entity_history WHERE observed_to IS NULL',
      )
      .all();
    return {
      known: new Set(ids),
      records: new Map(versions.map(({ id, callId }) => [id, documentOf(callId, id) ?? ''])),
      ended: 'why' in report.ending ? `${report.ending.ended}: ${report.ending.why}` : report.ending.ended,
      calls: report.totals.calls,
      gone: report.totals.gone,
    };
  } finally {
    workspace.close();
  }
}

/** Returns the configuration with another dialect and with its own warehouse and ledger. */
export function configWith(place: Place, sandbox: Sandbox, dialect: Dialect): Config {
  const config = place.config();
  return {
    ...config,
    upstream: { ...config.upstream, paths: sandbox.paths ?? {} },
    dialect,
    warehouse: join(place.directory, 'true.db'),
    ledger: join(place.directory, 'true-ledger.db'),
  };
}
