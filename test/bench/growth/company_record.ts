import type { JsonObject } from '../../../src/json/json.ts';
import { seededRandom } from '../../../src/random.ts';

const SYLLABLES = [
  'ka',
  'lo',
  'mer',
  'vin',
  'tech',
  'nor',
  'sta',
  'bel',
  'gra',
  'hol',
  'ding',
  'fin',
  'bo',
  'ra',
  'Ö',
  'é',
];
const FORMS = ['Limited', 'AS', 'GmbH', 'SA', 'plc', 'Oy', '株式会社'];
const STATUSES = ['active', 'active', 'active', 'dissolved', 'liquidation'];
const COUNTRIES = ['Norway', 'Sweden', 'Denmark', 'Finland', 'Iceland'];

/**
 * Returns a synthetic company of about 1.5 KB with two lists, which are officers (objects) and activity codes
 * (scalars).
 */
export function companyRecord(index: number, version = 0): JsonObject {
  const random = seededRandom(index * 7919 + 13).next;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const word = () => Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(SYLLABLES)).join('');
  const date = () =>
    `${1970 + Math.floor(random() * 55)}-${two(1 + random() * 12)}-${two(1 + random() * 28)}`;
  const person = () => `${word()} ${word()}`;
  const address = () => ({
    line_1: `${word()} street ${Math.floor(random() * 200)}`,
    line_2: random() < 0.3 ? `Floor ${Math.floor(random() * 9)}` : null,
    postal_code: String(Math.floor(random() * 100_000)).padStart(5, '0'),
    locality: word(),
    region: word(),
    country: pick(COUNTRIES),
  });
  const record = {
    company_number: idOf(index),
    name: `${word()} ${word()} ${pick(FORMS)}`,
    status: pick(STATUSES),
    legal_form: pick(FORMS),
    jurisdiction: 'no',
    incorporated_on: date(),
    dissolved_on: random() < 0.2 ? date() : null,
    employees: Math.floor(random() * 500),
    share_capital: {
      amount: Math.floor(random() * 1e7) / 100,
      currency: 'NOK',
      shares: Math.floor(random() * 1e6),
    },
    registered_address: address(),
    postal_address: address(),
    vat_number: `NO${Math.floor(random() * 1e9)}MVA`,
    has_charges: random() < 0.3,
    insolvent: false,
    accounts: {
      last_made_up_to: date(),
      next_due: date(),
      overdue: random() < 0.1,
      type: pick(['full', 'micro', 'group']),
    },
    purpose: Array.from({ length: 24 }, word).join(' '),
    website: `https://www.${word()}-${word()}.example/about`,
    officers: Array.from({ length: 3 }, () => ({
      name: person(),
      role: pick(['director', 'secretary', 'chair']),
      appointed_on: date(),
      nationality: pick(COUNTRIES),
      birth_year: 1940 + Math.floor(random() * 60),
    })),
    activity_codes: Array.from(
      { length: 3 },
      () => `${Math.floor(random() * 90) + 10}.${two(random() * 90)}`,
    ),
  };
  if (version === 0) return record;
  // Changes a company as registries usually do: its status, a number, its address or an officer.
  const [, ...stayed] = record.officers;
  return {
    ...record,
    status: 'dormant',
    employees: record.employees + version,
    registered_address: { ...record.registered_address, line_1: `New road ${version}` },
    officers: [
      ...stayed,
      {
        name: `Joiner ${version}`,
        role: 'director',
        appointed_on: '2026-01-02',
        nationality: 'Norway',
        birth_year: 1980,
      },
    ],
  };
}

export function idOf(index: number): string {
  return String(10_000_000 + index);
}

function two(value: number): string {
  return String(Math.floor(value)).padStart(2, '0');
}
