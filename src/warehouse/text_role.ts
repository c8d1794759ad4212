import type { Mapping } from '../dialect/mapping.ts';
import { pointerOf } from '../json/pointer.ts';
import { snakeCase } from './column_name.ts';

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
const OF_SOMETHING_ELSE =
  /phone|fax|telefon|mobile|post|zip|street|house|address|adresse|account|bank|share|employee|page|kommune|municipal|language|status|type|form|link|category|sector|naering/;

/** Matches `company_number`, `vat_number` and `lei`, but neither house or telephone numbers nor anything in lists. */
function isIdentifier(keys: readonly string[], words: readonly string[]): boolean {
  return (
    !keys.includes('*') &&
    words.length <= 4 &&
    NUMBER.test(words.at(-1) ?? '') &&
    !words.some((word) => OF_SOMETHING_ELSE.test(word))
  );
}
