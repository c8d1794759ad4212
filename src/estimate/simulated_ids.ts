import type { KnownCompany } from '../knowledge.ts';
import { foldedIdentifier } from '../names/query_matching.ts';

/**
 * Generates identifiers. New identifiers keep the known identifiers' common prefix, except for its last `freedDigits`
 * digits.
 */
export interface IdMaker {
  /** Returns an identifier with a known form. */
  known(freedDigits: number): string;
  /** Returns an identifier with this prefix and a known form, or null if no known identifier has the prefix. */
  withPrefix(prefix: string, freedDigits: number): string | null;
  /** Returns an identifier with an unknown form. */
  other(): string;
}

/**
 * Opens an identifier generator. A form is an identifier with all digits replaced by 0, such as `AB000`. If a form's
 * known identifiers are numbered densely, new identifiers continue their series. Otherwise, new identifiers have the
 * same letters and common leading digits, and their other digits are random.
 */
export function idMaker(known: readonly KnownCompany[], random: () => number): IdMaker {
  const forms = Map.groupBy(
    known.map(({ entityId }) => entityId),
    formOf,
  );
  const makers = new Map([...forms].map(([form, ids]) => [form, seriesOf(ids) ?? scatterOf(ids)]));
  const others = OTHER_FORMS.map(() => ({ before: letters(random), last: 0 }));
  return {
    known: (freedDigits) => {
      const pattern = known[Math.floor(random() * known.length)]?.entityId ?? '';
      return makers.get(formOf(pattern))?.(random, freedDigits) ?? pattern;
    },
    withPrefix: (prefix, freedDigits) => {
      const alike = known
        .map(({ entityId }) => entityId)
        .filter((id) => foldedIdentifier(id).startsWith(prefix));
      const pattern = alike[Math.floor(random() * alike.length)];
      if (pattern === undefined) return null;
      return withOtherDigits(
        pattern,
        Math.max(prefix.length, commonPrefixOf(alike).length - freedDigits),
        random,
      );
    },
    other: () => {
      const form = others[Math.floor(random() * others.length)];
      if (form === undefined) return '';
      form.last += 1 + Math.floor(random() * 4);
      return form.before + String(form.last).padStart(6, '0');
    },
  };
}

type Maker = (random: () => number, freedDigits: number) => string;

function seriesOf(ids: readonly string[]): Maker | null {
  const [, before = '', digits = '', after = ''] =
    /^([^0-9]*)([0-9]{1,15})([^0-9]*)$/.exec(ids[0] ?? '') ?? [];
  if (digits === '') return null;
  const numbers = ids.map((id) => Number(id.slice(before.length, before.length + digits.length)));
  const first = numbers.reduce((least, one) => Math.min(least, one), Infinity);
  const last = numbers.reduce((most, one) => Math.max(most, one), 0);
  const spacing = (last - first + 1) / numbers.length;
  if (spacing > MAX_SPACING) return null;
  let at = first;
  let jumps = 0;
  return (random, freedDigits) => {
    // If no identifier was suitable at this point in the series, continue at a higher number.
    if (freedDigits > jumps) at += JUMP * (freedDigits - jumps);
    jumps = freedDigits;
    at += 1 + Math.floor(random() * 2 * (spacing - 1) + random());
    return before + String(at).padStart(digits.length, '0') + after;
  };
}

function scatterOf(ids: readonly string[]): Maker {
  const shared = commonPrefixOf(ids);
  return (random, freedDigits) => {
    const pattern = ids[Math.floor(random() * ids.length)] ?? '';
    return withOtherDigits(pattern, Math.max(0, shared.length - freedDigits), random);
  };
}

function commonPrefixOf(ids: readonly string[]): string {
  let shared = ids[0] ?? '';
  for (const id of ids) while (!id.startsWith(shared)) shared = shared.slice(0, -1);
  return shared;
}

/** Replaces all digits after the first `keptCharacters` characters with random digits. */
function withOtherDigits(id: string, keptCharacters: number, random: () => number): string {
  const digit = () => String(Math.floor(random() * 10));
  return id.slice(0, keptCharacters) + id.slice(keptCharacters).replace(/[0-9]/g, digit);
}

function formOf(id: string): string {
  return id.replace(/[0-9]/g, '0');
}

function letters(random: () => number): string {
  const letter = () => String.fromCharCode(65 + Math.floor(random() * 26));
  return letter() + letter();
}

const OTHER_FORMS = [1, 2, 3];
const MAX_SPACING = 20;
const JUMP = 500;
