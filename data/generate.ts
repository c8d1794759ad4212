/**
 * Makes registries of invented companies: `generateRegistry` for tests and benchmarks, and as a command
 * (`node data/generate.ts`) the committed sample. The same options give the same companies everywhere.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ExactNumber, type Json, type JsonObject, stringifyJson } from '../src/json/json.ts';
import { type Random, seededRandom } from '../src/random.ts';
import { nameMaker } from './names.ts';
import { COUNTRIES, type Country, type LegalForm } from './vocabulary.ts';

export interface RegistryOptions {
  readonly companies: number;
  readonly seed: number;
  /**
   * registry: leading zeros and letters (`00000417`, `SC000193`, `000028V`) · numeric: digits only ·
   * big_numeric: integers beyond 2^53. Default: registry.
   */
  readonly ids?: IdStyle;
}

export const ID_STYLES = ['registry', 'numeric', 'big_numeric'] as const;
export type IdStyle = (typeof ID_STYLES)[number];

/** One invented company: `fields` holds everything but the id and the name. */
export interface GeneratedCompany {
  readonly id: string;
  readonly name: string;
  readonly fields: JsonObject;
}

/** The committed sample is `generateRegistry(SAMPLE)`, one JSON document a line. */
export const SAMPLE: RegistryOptions = { companies: 4_000, seed: 20 };

/** Streams invented companies, in the order in which they were registered. */
export function* generateRegistry(options: RegistryOptions): Generator<GeneratedCompany> {
  const random = seededRandom(options.seed);
  const names = nameMaker(random);
  const nextId = idMaker(options.ids ?? 'registry', random);
  for (let index = 0; index < options.companies; index++) {
    const country = random.chance(HOME) ? itemOf(COUNTRIES, 0) : byWeight(random);
    const form = random.pickZipf(country.forms);
    const name = names.make(country, form);
    const registeredDay = Math.floor((index / options.companies) * REGISTRY_DAYS) + random.below(5);
    const fields = fieldsOf(country, form, registeredDay, random);
    if (random.chance(0.12)) {
      fields.previous_names = [
        { name: names.make(country, form), until: dateOf(laterDay(registeredDay, 900)) },
      ];
    }
    yield { id: nextId(), name, fields };
  }
}

/** The line of one company in a JSON Lines file, without the line feed. */
export function lineOf(company: GeneratedCompany): string {
  return stringifyJson({ id: company.id, name: company.name, ...company.fields });
}

const HOME = 0.35;
const FIRST_DAY_MS = Date.UTC(1921, 0, 3);
const DAY_MS = 86_400_000;
const REGISTRY_DAYS = 38_000;
const TOTAL_WEIGHT = COUNTRIES.reduce((sum, country) => sum + country.weight, 0);

function byWeight(random: Random): Country {
  let left = random.next() * TOTAL_WEIGHT;
  for (const country of COUNTRIES) {
    left -= country.weight;
    if (left < 0) return country;
  }
  return itemOf(COUNTRIES, 0);
}

function itemOf<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError('no such item');
  return item;
}

/** Ids grow with the date of registration, in a series per kind, with gaps. */
function idMaker(style: IdStyle, random: Random): () => string {
  if (style === 'numeric') return series((next) => String(next), 100_000_000, random);
  if (style === 'big_numeric')
    return series((next) => String(9_007_199_254_740_993n + BigInt(next)), 0, random);
  const plain = series((next) => String(next).padStart(8, '0'), 0, random);
  const others = [
    series((next) => `SC${String(next).padStart(6, '0')}`, 0, random),
    series((next) => `${String(next).padStart(6, '0')}V`, 0, random),
    series((next) => `${String(next).padStart(6, '0')}C`, 0, random),
    series((next) => `OC${String(next).padStart(6, '0')}`, 300_000, random),
    series((next) => `NI${String(next).padStart(6, '0')}`, 0, random),
    series((next) => `FC${String(next).padStart(5, '0')}X`, 0, random),
  ];
  return () => (random.chance(0.7) ? plain() : random.pickZipf(others)());
}

function series(written: (next: number) => string, first: number, random: Random): () => string {
  let last = first;
  return () => {
    last += 1 + random.below(4);
    return written(last);
  };
}

function fieldsOf(country: Country, form: LegalForm, registeredDay: number, random: Random): JsonObject {
  const status = statusOf(random);
  const fields: JsonObject = {
    status,
    legal_form: form.code,
    country: country.code,
    registered_on: dateOf(registeredDay),
    dissolved_on: status === 'dissolved' ? dateOf(laterDay(registeredDay, 200 + random.below(9_000))) : null,
    address: addressOf(country, random),
    capital: { amount: amountOf(random), currency: country.currency },
    employees: random.chance(0.4) ? null : random.zipfRank(3_000),
    activities: Array.from({ length: 1 + random.zipfRank(3) }, () => activityOf(random)),
    officers: Array.from({ length: random.zipfRank(5) }, () => officerOf(country, registeredDay, random)),
  };
  // Rare by intent: a reference beyond 2^53, and a decimal that no double holds.
  if (random.chance(0.1))
    fields.tax_reference = 9_007_199_254_740_993n + BigInt(random.below(2 ** 31)) * 977n;
  if (random.chance(0.03))
    fields.par_value = new ExactNumber(`0.${'1234567890123456789'.slice(random.below(3))}1`);
  if (random.chance(0.05))
    fields.accounts = { year_end: { day: 31, month: 12 }, overdue: random.chance(0.2) };
  return fields;
}

/** Returns a day after the registration, but never one after the registry's last day. */
function laterDay(registeredDay: number, days: number): number {
  const left = Math.max(0, REGISTRY_DAYS - registeredDay);
  return registeredDay + (days <= left ? days : Math.floor(left / 2));
}

function statusOf(random: Random): string {
  const drawn = random.next();
  if (drawn < 0.72) return 'active';
  if (drawn < 0.92) return 'dissolved';
  return drawn < 0.97 ? 'dormant' : 'in liquidation';
}

function dateOf(day: number): string {
  return new Date(FIRST_DAY_MS + day * DAY_MS).toISOString().slice(0, 10);
}

function addressOf(country: Country, random: Random): JsonObject {
  const line = `${1 + random.zipfRank(250)} ${random.pickZipf(country.streets)}`;
  const lines: Json[] = random.chance(0.15) ? [`c/o ${random.pick(country.surnames)}`, line] : [line];
  return {
    lines,
    locality: random.pickZipf(country.places),
    postcode: country.postcode.replaceAll(/[9A]/g, (mark) =>
      mark === '9' ? String(random.below(10)) : String.fromCharCode(65 + random.below(26)),
    ),
  };
}

function amountOf(random: Random): number {
  const whole = [1, 2, 100, 1_000, 10_000, 30_000, 100_000, 2_500_000][random.zipfRank(8)] ?? 100;
  return random.chance(0.25) ? whole + random.below(100) / 100 : whole;
}

function activityOf(random: Random): string {
  return `${String(1 + random.below(96)).padStart(2, '0')}.${String(random.below(100)).padStart(2, '0')}`;
}

function officerOf(country: Country, registeredDay: number, random: Random): JsonObject {
  return {
    name: `${random.pickZipf(country.given)} ${random.pickZipf(country.surnames)}`,
    role: random.pickZipf(['director', 'secretary', 'partner', 'chair']),
    since: dateOf(laterDay(registeredDay, random.below(3_000))),
  };
}

function main(): void {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: 'data/sample-registry.jsonl' },
      companies: { type: 'string', default: String(SAMPLE.companies) },
      seed: { type: 'string', default: String(SAMPLE.seed) },
      ids: { type: 'string', default: 'registry' },
    },
  });
  const ids = ID_STYLES.find((style) => style === values.ids);
  if (ids === undefined) throw new Error(`--ids is one of ${ID_STYLES.join(', ')}`);
  writeLines(
    values.out,
    generateRegistry({ companies: Number(values.companies), seed: Number(values.seed), ids }),
  );
}

function writeLines(path: string, companies: Iterable<GeneratedCompany>): void {
  const file = openSync(path, 'w');
  let pending: string[] = [];
  const flush = () => {
    writeSync(file, pending.map((line) => `${line}\n`).join(''));
    pending = [];
  };
  for (const company of companies) {
    pending.push(lineOf(company));
    if (pending.length === 10_000) flush();
  }
  flush();
  closeSync(file);
}

if (import.meta.main) main();
