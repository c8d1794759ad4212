import { folded, wordsOf } from '../../folding.ts';
import { seededRandom } from '../../random.ts';
import type { KnownCompany } from '../knowledge.ts';
import type { Room } from './room.ts';

export interface Imagined {
  readonly entityId: string;
  readonly name: string;
}

/**
 * Companies that could stand beside the known ones: names of words that known names are made of, some of them
 * coined, since known names also hold words seen only once; identifiers in the known form. Those for which
 * there is no room among what searches have shown are left out. The same for the same seed.
 */
export function imagineCompanies(ask: {
  readonly known: readonly KnownCompany[];
  readonly count: number;
  readonly room: Room;
  readonly seed: number;
}): Imagined[] {
  const { known, count, room, seed } = ask;
  const random = seededRandom(seed).next;
  const vocabulary = readVocabulary(known);
  if (vocabulary.patterns.length === 0) return [];
  const ids = idForm(known);
  const taken = new Set(known.map(({ entityId }) => entityId));
  const imagined: Imagined[] = [];
  let refusals = 0;
  let freed = 0;
  for (let tries = 0; imagined.length < count && tries < count * MOST_TRIES_EACH; tries++) {
    if (refusals === REFUSALS_THAT_FREE) [freed, refusals] = [freed + 1, 0];
    const company = { entityId: ids(random, freed), name: imagineName(vocabulary, random) };
    if (taken.has(company.entityId) || !room.isFor(company)) {
      refusals++;
      continue;
    }
    refusals = 0;
    room.take(company);
    taken.add(company.entityId);
    imagined.push(company);
  }
  return imagined;
}

interface Vocabulary {
  /** The words of each known name. */
  readonly patterns: readonly (readonly string[])[];
  readonly words: readonly string[];
  readonly lastWords: readonly string[];
  /** How likely the next word was never seen before (Good and Turing: as likely as words seen once). */
  readonly unseen: number;
}

function readVocabulary(known: readonly KnownCompany[]): Vocabulary {
  const patterns = known
    .map(({ name }) => (name === null ? [] : wordsOf(folded(name))))
    .filter((words) => words.length > 0);
  const words = patterns.flatMap((pattern) => (pattern.length > 1 ? pattern.slice(0, -1) : pattern));
  const times = new Map<string, number>();
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
  const once = [...times.values()].filter((count) => count === 1).length;
  return {
    patterns,
    words,
    lastWords: patterns.flatMap((pattern) => (pattern.length > 1 ? pattern.slice(-1) : [])),
    unseen: words.length === 0 ? 0 : once / words.length,
  };
}

function imagineName({ patterns, words, lastWords, unseen }: Vocabulary, random: () => number): string {
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? '';
  const pattern = patterns[Math.floor(random() * patterns.length)] ?? [];
  return pattern
    .map((_, at) => {
      if (at > 0 && at === pattern.length - 1) return pick(lastWords);
      return random() < unseen ? coined(pick(words), pick(words)) : pick(words);
    })
    .join(' ');
}

/** The beginning of one word and the end of another. */
function coined(one: string, other: string): string {
  return one.slice(0, Math.ceil(one.length / 2)) + other.slice(Math.floor(other.length / 2));
}

/**
 * Identifiers formed like known ones. Where those stand close together they count on from the first of their form;
 * else their letters stay, and the digits that all of the form begin with, but for `freed` of those.
 */
function idForm(known: readonly KnownCompany[]): (random: () => number, freed: number) => string {
  const forms = Map.groupBy(
    known.map(({ entityId }) => entityId),
    formOf,
  );
  const makers = new Map([...forms].map(([form, ids]) => [form, seriesOf(ids) ?? scatterOf(ids)]));
  return (random, freed) => {
    const pattern = known[Math.floor(random() * known.length)]?.entityId ?? '';
    return makers.get(formOf(pattern))?.(random, freed) ?? pattern;
  };
}

type IdMaker = (random: () => number, freed: number) => string;

function seriesOf(ids: readonly string[]): IdMaker | null {
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

function scatterOf(ids: readonly string[]): IdMaker {
  let shared = ids[0] ?? '';
  for (const id of ids) while (!id.startsWith(shared)) shared = shared.slice(0, -1);
  return (random, freed) => {
    const pattern = ids[Math.floor(random() * ids.length)] ?? '';
    const kept = Math.max(0, shared.length - freed);
    const digit = () => String(Math.floor(random() * 10));
    return pattern.slice(0, kept) + pattern.slice(kept).replace(/[0-9]/g, digit);
  };
}

function formOf(id: string): string {
  return id.replace(/[0-9]/g, '0');
}

const WIDEST_GAP = 20;
const JUMP = 500;
const MOST_TRIES_EACH = 12;
const REFUSALS_THAT_FREE = 500;
