import { type Random, seededRandom } from '../src/random.ts';
import type { Country, LegalForm } from './vocabulary.ts';

/** Makes company names of one country after another; remembers recent ones, because real registries repeat names. */
export interface NameMaker {
  make(country: Country, form: LegalForm): string;
}

export function nameMaker(random: Random): NameMaker {
  const patterns = new Map<Country, Part[][]>();
  const brands = new Map<string, string>();
  const taken = new Set<number>();
  const recent: string[] = [];
  let made = 0;

  const parts = (country: Country): Part[][] => {
    const known = patterns.get(country);
    if (known) return known;
    const parsed = country.patterns.map(partsOf);
    patterns.set(country, parsed);
    return parsed;
  };
  const brand = (country: Country): string => {
    const rank = random.zipfRank(COINED_BRANDS);
    const key = `${country.code}${rank}`;
    const known = brands.get(key) ?? coinedBrand(country, rank);
    brands.set(key, known);
    return known;
  };

  const compose = (country: Country, form: LegalForm): string => {
    const pattern = random.pickZipf(parts(country));
    const name = pattern.map((part) => written(part, { country, form, brand, random })).join('');
    return random.chance(UPPER_CASED) ? name.toUpperCase() : name;
  };
  const isNew = (name: string): boolean => {
    const before = taken.size;
    return taken.add(hashOf(name)).size > before;
  };

  return {
    make(country, form) {
      if (recent.length > 0 && random.chance(REPEATED)) return repeat(random.pick(recent), random);
      let name = compose(country, form);
      // A registrar refuses a taken name; the founder comes back with a word in front.
      while (!isNew(name)) name = `${brand(country)} ${name}`;
      recent[made++ % RECENT] = name;
      return name;
    },
  };
}

const REPEATED = 0.04;
const UPPER_CASED = 0.12;
const RECENT = 4096;
const COINED_BRANDS = 50_000;

interface Part {
  readonly kind: string;
  readonly text: string;
}

function partsOf(pattern: string): Part[] {
  return pattern
    .split(/(\{\w+\})/)
    .filter((text) => text !== '')
    .map((text) => (text.startsWith('{') ? { kind: text.slice(1, -1), text: '' } : { kind: 'text', text }));
}

interface Ingredients {
  readonly country: Country;
  readonly form: LegalForm;
  readonly random: Random;
  brand(country: Country): string;
}

function written(part: Part, { country, form, brand, random }: Ingredients): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'form':
      return form.written;
    case 'brand':
      return brand(country);
    case 'sur':
      return random.pickZipf(country.surnames);
    case 'given':
      return random.pickZipf(country.given);
    case 'place':
      return random.pickZipf(country.places);
    case 'trade':
      return random.pickZipf(country.trades);
    case 'adj':
      return random.pickZipf(country.adjectives);
    case 'letters':
      return initials(random);
    case 'number':
      return String(1 + random.zipfRank(2_000));
    default:
      throw new Error(`vocabulary: unknown part {${part.kind}}`);
  }
}

function initials(random: Random): string {
  const letters = Array.from({ length: 2 + random.below(3) }, () =>
    String.fromCharCode(65 + random.below(26)),
  );
  return random.chance(0.3) ? `${letters.join('.')}.` : letters.join('');
}

/** The same name once more, as registries have it: sometimes in another case. */
function repeat(name: string, random: Random): string {
  if (random.chance(0.3)) return name.toUpperCase();
  return name;
}

/** The coined word of this rank in one country: always the same, so that common ones stay common. */
function coinedBrand({ brands, code }: Country, rank: number): string {
  const seed = [...code].reduce((hash, letter) => Math.imul(hash, 31) + letter.charCodeAt(0), rank);
  const random = seededRandom(Math.imul(seed, 2_654_435_761));
  const middles = Array.from({ length: random.zipfRank(4) }, () => random.pick(brands.middles));
  return [random.pick(brands.starts), ...middles, random.pick(brands.ends)].join('');
}

/** FNV-1a, 32 bits: a rare collision only makes a name longer. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
