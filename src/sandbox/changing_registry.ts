import { HOUR_MS } from '../durations.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { type Random, seededRandom } from '../random.ts';
import {
  exists,
  fieldsOf,
  type SandboxCompanies,
  type StoredCompany,
} from '../warehouse/sandbox_companies.ts';

/** How many changes of each kind occur in an hour. */
interface ChangeRates {
  readonly changed: number;
  readonly appearing: number;
  readonly deleted: number;
}

export interface ChangingOptions {
  readonly rates: ChangeRates;
  readonly seed: number;
  /** The share of changes (0 to 1) that also change the name or the status in the list item. The default is 0.6. */
  readonly shown?: number;
  /** The share of the shown changes (0 to 1) in which a person becomes a director. The default is 0. */
  readonly appointed?: number;
}

/** One change in the registry. A mirror should detect it. */
export interface RegistryChange {
  readonly atMs: number;
  readonly kind: keyof ChangeRates;
  readonly id: string;
}

/** Changes a registry over time. The changes depend only on the seed and on each step's length. */
export interface ChangingRegistry {
  /** Makes and returns the changes due in a step of `elapsedMs`. Each change gets the time `nowMs`. */
  advance(elapsedMs: number, nowMs: number): RegistryChange[];
}

export function changingRegistry(store: SandboxCompanies, options: ChangingOptions): ChangingRegistry {
  const random = seededRandom(options.seed);
  const ids = Array.from(store.all(), (company) => company.id);
  const due: Record<keyof ChangeRates, number> = { changed: 0, appearing: 0, deleted: 0 };

  const pickExisting = (): StoredCompany | null => {
    for (let tries = 0; tries < 100; tries++) {
      const company = store.get(random.pick(ids));
      if (exists(company)) return company;
    }
    return null;
  };
  const makeChange = (kind: keyof ChangeRates, nowMs: number): string | null => {
    const company = pickExisting();
    if (company === null) return null;
    if (kind === 'deleted') return store.remove(company.id, nowMs) ? company.id : null;
    if (kind === 'changed') {
      const isShown = random.chance(options.shown ?? 0.6);
      const { appointed = 0 } = options;
      if (isShown && appointed > 0 && random.chance(appointed))
        appointDirector(store, company, pickExisting, nowMs);
      else changeCompany(store, company, { isShown, random, nowMs });
      return company.id;
    }
    const id = nextFreeId(store, ids.at(-1) ?? company.id);
    store.put({ id, name: mixedName(company, pickExisting() ?? company), fields: fieldsOf(company) });
    ids.push(id);
    return id;
  };

  return {
    advance(elapsedMs, nowMs) {
      const changes: RegistryChange[] = [];
      for (const kind of ['changed', 'appearing', 'deleted'] as const) {
        due[kind] += (options.rates[kind] * elapsedMs) / HOUR_MS;
        for (; due[kind] >= 1; due[kind]--) {
          const id = makeChange(kind, nowMs);
          if (id !== null) changes.push({ atMs: nowMs, kind, id });
        }
      }
      return changes;
    },
  };
}

interface ChangeOptions {
  readonly isShown: boolean;
  readonly random: Random;
  readonly nowMs: number;
}

function changeCompany(
  store: SandboxCompanies,
  company: StoredCompany,
  { isShown, random, nowMs }: ChangeOptions,
): void {
  const fields = fieldsOf(company);
  const { id, name } = company;
  const date = new Date(nowMs).toISOString();
  if (!isShown) {
    store.put({
      id,
      name,
      fields: { ...fields, last_filing: { received_at: date, pages: 1 + random.below(40) } },
    });
  } else if (random.chance(0.3)) {
    const before = Array.isArray(fields.previous_names) ? fields.previous_names : [];
    const previous_names = [...before, { name, until: date.slice(0, 10) }];
    store.put({ id, name: renamed(name), fields: { ...fields, previous_names } });
  } else {
    const status = random.pick(STATUSES.filter((other) => other !== fields.status));
    store.put({ id, name, fields: { ...fields, status, ...dissolution(fields, status, date.slice(0, 10)) } });
  }
}

/** Makes an officer of another company a director of this one. */
function appointDirector(
  store: SandboxCompanies,
  company: StoredCompany,
  pickOther: () => StoredCompany | null,
  nowMs: number,
): void {
  const fields = fieldsOf(company);
  const { id, name } = company;
  let person: Json = null;
  for (let tries = 0; person === null && tries < 100; tries++)
    person = officersOf(fieldsOf(pickOther() ?? company))[0] ?? null;
  const since = new Date(nowMs).toISOString().slice(0, 10);
  const director = { ...(person as JsonObject | null), role: 'director', since };
  store.put({ id, name, fields: { ...fields, officers: [...officersOf(fields), director] } });
}

function officersOf({ officers }: JsonObject): readonly Json[] {
  return Array.isArray(officers) ? officers : [];
}

/** Returns the date of dissolution that agrees with the new status, for companies that have such a field. */
function dissolution(fields: JsonObject, status: string, date: string): JsonObject {
  if (!('dissolved_on' in fields)) return {};
  return { dissolved_on: status === 'dissolved' ? date : null };
}

const STATUSES = ['active', 'dormant', 'in liquidation', 'dissolved'];

function renamed(name: string): string {
  return name.startsWith('New ') ? name.slice(4) : `New ${name}`;
}

/** Combines the first half of one name with the second half of another. */
function mixedName(first: StoredCompany, second: StoredCompany): string {
  const [start, end] = [first.name.split(' '), second.name.split(' ')];
  return [...start.slice(0, Math.ceil(start.length / 2)), ...end.slice(Math.ceil(end.length / 2))].join(' ');
}

/** Returns the first unused id after an id, found by incrementing its last digits: `SC000200` after `SC000199`. */
function nextFreeId(store: SandboxCompanies, id: string): string {
  const [, head = id, digits = '', tail = ''] = /^(.*?)(\d+)(\D*)$/.exec(id) ?? [];
  for (let number = BigInt(digits || 0) + 1n; ; number++) {
    const candidate = `${head}${String(number).padStart(digits.length, '0')}${tail}`;
    if (store.get(candidate) === null) return candidate;
  }
}
