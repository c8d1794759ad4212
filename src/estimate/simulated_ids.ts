import type { KnownCompany } from '../knowledge.ts';
import { foldedIdentifier } from '../names/query_matching.ts';

export interface IdMaker {
  /** One formed like the known ones. `freed`: so many of the digits that all of them begin with may differ. */
  known(freed: number): string;
  /** One like known ones that begin so; null: none does. */
  withPrefix(text: string, freed: number): string | null;
  /** One of a form that no known one has. */
  other(): string;
}

/**
 * Where identifiers of a form stand close together they count on from the first; else their letters stay, and the
 * digits that all of the form begin with.
 */
export function idMaker(known: readonly KnownCompany[], random: () => number): IdMaker {
  const forms = Map.groupBy(
    known.map(({ entityId }) => entityId),
    formOf,
  );
  const makers = new Map([...forms].map(([form, ids]) => [form, seriesOf(ids) ?? scatterOf(ids)]));
  const others = OTHER_FORMS.map(() => ({ before: letters(random), last: 0 }));
  return {
    known: (freed) => {
      const pattern = known[Math.floor(random() * known.length)]?.entityId ?? '';
      return makers.get(formOf(pattern))?.(random, freed) ?? pattern;
    },
    withPrefix: (text, freed) => {
      const alike = known
        .map(({ entityId }) => entityId)
        .filter((id) => foldedIdentifier(id).startsWith(text));
      const pattern = alike[Math.floor(random() * alike.length)];
      if (pattern === undefined) return null;
      return withOtherDigits(pattern, Math.max(text.length, sharedBy(alike).length - freed), random);
    },
    other: () => {
      const form = others[Math.floor(random() * others.length)];
      if (form === undefined) return '';
      form.last += 1 + Math.floor(random() * 4);
      return form.before + String(form.last).padStart(6, '0');
    },
  };
}

type Maker = (random: () => number, freed: number) => string;

function seriesOf(ids: readonly string[]): Maker | null {
  const [, before = '', digits = '', after = ''] =
    /^([^0-9]*)([0-9]{1,15})([^0-9]*)$/.exec(ids[0] ?? '') ?? [];
  if (digits === '') return null;
  const numbers = ids.map((id) => Number(id.slice(before.length, before.length + digits.length)));
  const first = numbers.reduce((least, one) => Math.min(least, one), Infinity);
  const last = numbers.reduce((most, one) => Math.max(most, one), 0);
  const gap = (last - first + 1) / numbers.length;
  if (gap > WIDEST_GAP) return null;
  let at = first;
  let jumps = 0;
  return (random, freed) => {
    // Nothing fits here: look further on.
    if (freed > jumps) at += JUMP * (freed - jumps);
    jumps = freed;
    at += 1 + Math.floor(random() * 2 * (gap - 1) + random());
    return before + String(at).padStart(digits.length, '0') + after;
  };
}

function scatterOf(ids: readonly string[]): Maker {
  const shared = sharedBy(ids);
  return (random, freed) => {
    const pattern = ids[Math.floor(random() * ids.length)] ?? '';
    return withOtherDigits(pattern, Math.max(0, shared.length - freed), random);
  };
}

/** How all of them begin. */
function sharedBy(ids: readonly string[]): string {
  let shared = ids[0] ?? '';
  for (const id of ids) while (!id.startsWith(shared)) shared = shared.slice(0, -1);
  return shared;
}

/** `kept`: so many characters stay as they are. */
function withOtherDigits(id: string, kept: number, random: () => number): string {
  const digit = () => String(Math.floor(random() * 10));
  return id.slice(0, kept) + id.slice(kept).replace(/[0-9]/g, digit);
}

function formOf(id: string): string {
  return id.replace(/[0-9]/g, '0');
}

function letters(random: () => number): string {
  const letter = () => String.fromCharCode(65 + Math.floor(random() * 26));
  return letter() + letter();
}

const OTHER_FORMS = [1, 2, 3];
const WIDEST_GAP = 20;
const JUMP = 500;
