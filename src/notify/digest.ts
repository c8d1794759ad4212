import type { Receiver } from '../config/receiver.ts';
import { printable } from '../printable.ts';
import type { ChangedField, NewCompany } from '../warehouse/deliveries.ts';

/** The changes in one run, for one receiver. */
export interface Digest {
  readonly counts: { readonly new: number; readonly changed: number; readonly gone: number };
  readonly new: readonly { readonly entity_id: string; readonly name: string | null }[];
  readonly changed: readonly ChangedCompany[];
  readonly gone: readonly {
    readonly entity_id: string;
    readonly name: string | null;
    readonly gone_at: string;
  }[];
  /** The new health; null if it has not changed. */
  readonly health: { readonly healthy: boolean; readonly ended: string; readonly why: string | null } | null;
}

interface ChangedCompany {
  readonly entity_id: string;
  readonly name: string | null;
  readonly fields: readonly {
    readonly path: string;
    readonly before: string | number | null;
    readonly after: string | number | null;
    readonly observed_at: string;
  }[];
}

/** The changes since the last digest, and the health after the run. */
interface RunChanges {
  readonly companies: Iterable<NewCompany>;
  readonly fields: Iterable<ChangedField>;
  readonly health: Digest['health'];
}

/**
 * Returns the changes that a receiver wants, or null if there are none. `watched` holds the ids on the receiver's
 * watchlist; null if it has no watchlist.
 */
export function digestFor(
  { events, fields }: Pick<Receiver, 'events' | 'fields'>,
  watched: ReadonlySet<string> | null,
  changes: RunChanges,
): Digest | null {
  const isWatched = ({ entityId }: NewCompany) => watched === null || watched.has(entityId);
  const added = events.includes('new') ? [...changes.companies].filter(isWatched) : [];
  const changed = new Map<string, { name: string | null; fields: ChangedField[] }>();
  const gone = new Map<string, { entity_id: string; name: string | null; gone_at: string }>();
  for (const field of changes.fields) {
    const { entityId, name, path, after } = field;
    if (!isWatched(field)) continue;
    if (path === '_gone_at' && after !== null)
      gone.set(entityId, { entity_id: entityId, name, gone_at: String(after) });
    else if (path === '_gone_at') gone.delete(entityId);
    if (path === '_gone_at' || !(fields?.some((wanted) => isBelow(path, wanted)) ?? true)) continue;
    const company = changed.get(entityId) ?? { name, fields: [] };
    company.fields.push(field);
    changed.set(entityId, company);
  }
  const digest: Digest = {
    counts: {
      new: added.length,
      changed: events.includes('changed') ? changed.size : 0,
      gone: events.includes('gone') ? gone.size : 0,
    },
    new: added.slice(0, MOST_COMPANIES).map(({ entityId, name }) => ({ entity_id: entityId, name })),
    changed: events.includes('changed') ? [...changed].slice(0, MOST_COMPANIES).map(changedCompany) : [],
    gone: events.includes('gone') ? [...gone.values()].slice(0, MOST_COMPANIES) : [],
    health: events.includes('health') ? changes.health : null,
  };
  const { counts, health } = digest;
  return counts.new + counts.changed + counts.gone === 0 && health === null ? null : digest;
}

/** The maximum number of companies in each list in a digest. The counts include all companies. */
const MOST_COMPANIES = 1_000;
const MOST_FIELDS = 100;

function changedCompany([entityId, { name, fields }]: [
  string,
  { name: string | null; fields: ChangedField[] },
]): ChangedCompany {
  return {
    entity_id: entityId,
    name,
    fields: fields.slice(0, MOST_FIELDS).map(({ path, before, after, observedAt }) => ({
      path,
      before,
      after,
      observed_at: observedAt,
    })),
  };
}

function isBelow(path: string, wanted: string): boolean {
  return path === wanted || path.startsWith(`${wanted}/`);
}

/** Returns the subject and text of a digest, for a person to read. */
export function digestText(
  source: string,
  { counts, health, ...lists }: Digest,
): { subject: string; text: string } {
  const count = `${counts.new} new, ${counts.changed} changed, ${counts.gone} gone`;
  const failed =
    health === null ? '' : health.healthy ? 'the mirror works again' : 'the mirror needs attention';
  const lines = [
    ...(health === null
      ? []
      : [`${failed} (${health.ended}${health.why === null ? '' : `: ${health.why}`})`, '']),
    ...lists.new.map(({ entity_id, name }) => `new      ${entity_id}  ${name ?? ''}`),
    ...lists.changed.flatMap(({ entity_id, name, fields }) => [
      `changed  ${entity_id}  ${name ?? ''}`,
      ...fields.map(({ path, before, after }) => `           ${path}: ${before ?? '–'} → ${after ?? '–'}`),
    ]),
    ...lists.gone.map(({ entity_id, name, gone_at }) => `gone     ${entity_id}  ${name ?? ''}  ${gone_at}`),
  ];
  return {
    subject: printable(`${source}: ${failed === '' ? count : `${failed}; ${count}`}`),
    text: `${lines.map(printable).join('\n')}\n`,
  };
}
