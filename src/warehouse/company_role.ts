import { segmentsOf } from '../json/pointer.ts';
import { snakeCase } from './column_name.ts';
import type { PayloadColumn } from './payload_table.ts';

/** The columns of the view `company` whose source fields have different names in each registry. */
export const COMPANY_ROLES = ['status', 'registered_on', 'dissolved_on', 'country'] as const;
export type CompanyRole = (typeof COMPANY_ROLES)[number];

/**
 * Selects the payload column for a role. `configured` is the JSON Pointer that the mapping specifies for this role. If
 * it is null, the keys on each path are compared with the role's patterns. The first matching pattern wins. If it
 * matches several paths, the one with the fewest keys wins, and then the first in alphabetical order.
 */
export function columnOfRole(
  role: CompanyRole,
  columns: readonly PayloadColumn[],
  configured: string | null,
): PayloadColumn | null {
  if (configured !== null) return columns.find(({ path }) => path === configured) ?? null;
  const candidates = columns
    .map((column) => ({ column, keys: segmentsOf(column.path).map(snakeCase) }))
    .filter(({ column, keys }) => column.types !== 'boolean' && !OF_SOMETHING_ELSE.test(keys.join('__')))
    .sort((a, b) => a.keys.length - b.keys.length || (a.column.path < b.column.path ? -1 : 1));
  for (const pattern of PATTERNS[role]) {
    const found = candidates.find(({ keys }) => pattern.test(keys.join('__')));
    if (found !== undefined) return found.column;
  }
  const event = EVENTS[role];
  const found = candidates.find(({ column, keys }) => isDate(column.types) && event?.test(keys.join('__')));
  return found?.column ?? null;
}

/** Returns whether all values of these types are dates or times. */
export function isDate(types: string): boolean {
  return types.split(' ').every((type) => type === 'date' || type === 'datetime');
}

/**
 * Each pattern is matched against a path's keys, in snake_case and joined by `__`. The patterns cover the keys that
 * real registries use, in several languages.
 */
const PATTERNS: Readonly<Record<CompanyRole, readonly RegExp[]>> = {
  status: [
    /(^|__)(company_|entity_|organi[sz]ation_|business_|legal_|current_)?status$/,
    /(^|__)(company_|entity_)?(status(_|__)(code|name|text|label|description|value)|statut|estado|stato|etat_administratif|etat|tila|company_state|state_of_company|lifecycle)$/,
  ],
  registered_on: [
    /(^|__)(registered_(on|at|date)|date_registered|registration_date|date_of_registration|date_immatriculation|fecha_registro|registreringsdato\w*)$/,
    /(^|__)(incorporated_(on|at|date)|date_incorporated|incorporation_date|date_of_incorporation|incorporation__date)$/,
    /(^|__)(date_of_creation|creation_date|date_creation|date_de_creation|created_on)$/,
    /(^|__)(found(ed|ing|ation)_(on|date)|date_founded|date_of_foundation|establish(ed_on|ment_date)|formation_date|formed_on|stiftelsesdato|gruendungsdatum|fecha_constitucion|start_date)$/,
  ],
  dissolved_on: [
    /(^|__)(dissolved_(on|at|date)|date_dissolved|dissolution_date|date_of_dissolution|dissolution__date)$/,
    /(^|__)(date_of_cessation|cessation_date|date_cessation|ceased_on|clos(ed_on|ing_date|ure_date)|date_closed|date_fermeture|struck_off_on|deregistered_on|deregistration_date|slettedato|termination_date|end_date)$/,
  ],
  country: [
    /^(company_)?country(_code|_of_registration|_of_incorporation)?$/,
    /(^|__)(legal_)?jurisdiction(_code)?$/,
    /(^|__)(country_code|land_?[ck]ode|code_pays)$/,
    /(^|__)(country|pays|pais|land)$/,
  ],
};

/** Keys that name an event. They count only if all values are dates, because such a key can also be a yes or no. */
const EVENTS: Readonly<Partial<Record<CompanyRole, RegExp>>> = {
  registered_on: /(^|__)(registered|incorporated|founded|established)$/,
  dissolved_on: /(^|__)(dissolved|struck_off|deregistered|ceased|closed)$/,
};

const OF_SOMETHING_ELSE =
  /account|filing|officer|director|owner|shareholder|previous|former|historic|vat_|tax|branch|mortgage|charge|confirmation|insolven|parent|birth|renewal|successor|bank|web|link/;
