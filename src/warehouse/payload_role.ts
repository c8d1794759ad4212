import type { Mapping } from '../dialect/mapping.ts';
import { pointerOf, segmentsOf } from '../json/pointer.ts';
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

/**
 * A path's role in the search index; null if its values are not indexed. The company's name has no role, because the
 * dialect specifies its path.
 */
export type TextRole = 'former_name' | 'identifier' | null;

/**
 * Returns the role that the mapping specifies for a path. If it specifies none, the path's keys determine the role. `*`
 * represents a list element. The patterns cover the keys that real registries use, in several languages.
 */
export function textRole(keys: readonly string[], mapping: Mapping): TextRole {
  const pointer = pointerOf(keys);
  if (mapping.former_names?.includes(pointer) || mapping.former_names?.includes(pointer.replace(/\/\*$/, '')))
    return 'former_name';
  if (mapping.identifiers?.includes(pointer)) return 'identifier';
  const words = keys.filter((key) => key !== '*').map(snakeCase);
  if (mapping.former_names === null && isFormerName(words)) return 'former_name';
  return mapping.identifiers === null && isIdentifier(keys, words) ? 'identifier' : null;
}

const EARLIER =
  /(^|_)(previous|former|formerly|historic|historical|historisk[ae]?|historiske|old|earlier|past|other|alternative|also_known|aka|trading|ancien|ancienne|anciens|anterior|anteriores|fruehere|tidligere)(_|$)/;
const NAME = /(^|_)(names?|navn|namn|naam|nimi|nom|noms|nombre|nombres|denominations?|denominaciones)$/;
const ALIAS = /(^|_)alias(es)?$/;

/** Matches `previous_names[]`, `historiskeNavn[].navn`, `aliases[]` and `former_name`. */
function isFormerName(words: readonly string[]): boolean {
  const at = words.findIndex((word) => ALIAS.test(word) || (EARLIER.test(word) && NAME.test(word)));
  if (at === -1) return false;
  return at === words.length - 1 || NAME.test(words.at(-1) ?? '');
}

const NUMBER =
  /(number|nummer|nr)$|(^|_)(no|id|uid|lei|vat|siren|siret|cif|nif|cvr|kvk|orgnr|ein|tin|duns|krs|ico|crn|registered_as)$/;
const NUMBER_OF_SOMETHING_ELSE =
  /phone|fax|telefon|mobile|post|zip|street|house|address|adresse|account|bank|share|employee|page|kommune|municipal|language|status|type|form|link|category|sector|naering/;

/** Matches `company_number`, `vat_number` and `lei`, but neither house or telephone numbers nor anything in lists. */
function isIdentifier(keys: readonly string[], words: readonly string[]): boolean {
  return (
    !keys.includes('*') &&
    words.length <= 4 &&
    NUMBER.test(words.at(-1) ?? '') &&
    !words.some((word) => NUMBER_OF_SOMETHING_ELSE.test(word))
  );
}
