import { isJsonObject, type Json } from '../json/json.ts';
import { type Pointer, segmentsOf, valueAtKeys } from '../json/pointer.ts';
import { countOf } from './body_values.ts';
import { headerNameIn, textIn } from './header_or_path.ts';
import type { Headers } from './headers.ts';

/**
 * Returns the total in a response, which can be a number such as `573`, or a range with a number: `0-24/573`,
 * `1–25 of 573`. Returns null if there is none, or if the response states that it is only a lower bound.
 */
export function totalAt(at: string | null, headers: Headers, body: Json | undefined): number | null {
  const text = textIn(at, headers, body);
  if (at === null || text === null) return null;
  const ranged = RANGE.exec(text)?.[1]?.replace(/\D/g, '');
  const count = countOf(ranged ?? text.slice(text.lastIndexOf('/') + 1));
  return count !== null && headerNameIn(at) === null && isLowerBound(body, at) ? null : count;
}

/** A text such as `1–25 of 1,573`. A number after several words, such as `of about`, is not exact. */
const RANGE =
  /^\D*\d[\d.,]*\s*[-–—]\s*\d[\d.,]*\s+\p{L}+\s+(\d{1,3}(?:[,.]\d{3})+|\d{1,15})(?:\s+\p{L}+)?\s*$/u;

/**
 * Returns whether a body states beside its total that there can be more matches: `{"value": 10000, "relation": "gte"}`,
 * `{"total": 10000, "total_is_exact": false}`.
 */
export function isLowerBound(body: Json | undefined, total: Pointer): boolean {
  const holder = valueAtKeys(body, segmentsOf(total).slice(0, -1));
  if (!isJsonObject(holder)) return false;
  const hasLists = Object.values(holder).some(Array.isArray);
  return Object.entries(holder).some(([key, value]) => {
    const name = key.replace(/[^a-z]/gi, '').toLowerCase();
    if (typeof value === 'string' && RELATION.test(name)) return AT_LEAST.test(value.trim());
    const isTrue = value === true || value === 'true';
    const isFalse = value === false || value === 'false';
    // Beside the results, `exact` can be a setting of the search.
    const isOfTotal = !hasLists || OF_TOTAL.test(name);
    return (isTrue && ESTIMATED.test(name)) || (isFalse && isOfTotal && EXACT.test(name));
  });
}

const RELATION = /(relation|accuracy|precision|qualifier|(total|count|hits)type)$/;
const AT_LEAST =
  /^(gte?|>=?|at[ _-]?least|(greater|more)[ _-]?than([ _-]or[ _-]equal([ _-]to)?)?|lower[ _-]?bound|min(imum)?|estimated?|approx(imate(ly)?)?)$/i;
const OF_TOTAL = /total|count|hits|matches|number/;
const EXACT =
  /^(is|are)?(total|results?|hits|count|nb|number)*(is|are)?(exact|accurate|precise|exhaustive)(total|results?|hits|count|nb|number)*$/;
const ESTIMATED =
  /^(is|has)?(total|results?|hits|count|number)*(is|are)?(estimated?|approx(imate|imated)?|lowerbound|atleast|capped|clamped)(total|results?|hits|count|number)*$/;
