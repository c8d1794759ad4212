import { type Random, seededRandom } from '../src/server/random.ts';
import type { BrandStyle, Country, LegalForm } from './vocabulary.ts';

/** Makes company names of one country after another; remembers recent ones, because real registries repeat names. */
export interface NameMaker {
  make(country: Country, form: LegalForm): string;
}

export function nameMaker(random: Random): NameMaker {
  const patterns = new Map<Country, Part[][]>();
  const brands = new Map<Country, string[]>();
  const recent: string[] = [];
  let made = 0;

  const parts = (country: Country): Part[][] => {
    const known = patterns.get(country);
    if (known) return known;
    const parsed = country.patterns.map(partsOf);
    patterns.set(country, parsed);
    return parsed;
  };
  const brandsOf = (country: Country): string[] => {
    const known = brands.get(country);
    if (known) return known;
    const coined = coinBrands(country.brands, country.code);
    brands.set(country, coined);
    return coined;
  };

  return {
    make(country, form) {
      if (recent.length > 0 && random.chance(REPEATED)) return repeat(random.pick(recent), random);
      const pattern = random.pickZipf(parts(country));
      const name = pattern.map((part) => written(part, country, form, brandsOf(country), random)).join('');
      const cased = random.chance(UPPER_CASED) ? name.toUpperCase() : name;
      recent[made++ % RECENT] = cased;
      return cased;
    },
  };
}

const REPEATED = 0.02;
const UPPER_CASED = 0.12;
const RECENT = 4096;
const COINED_BRANDS = 20_000;

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

function written(part: Part, country: Country, form: LegalForm, brands: string[], random: Random): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'form':
      return form.written;
    case 'brand':
      return random.pickZipf(brands);
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

/** Coined words of one country, the commonest first. */
function coinBrands(style: BrandStyle, code: string): string[] {
  const random = seededRandom([...code].reduce((hash, letter) => hash * 31 + letter.charCodeAt(0), 7));
  const coined = new Set<string>();
  for (let tries = 0; tries < COINED_BRANDS; tries++) {
    const middles = Array.from({ length: random.zipfRank(4) }, () => random.pick(style.middles));
    coined.add([random.pick(style.starts), ...middles, random.pick(style.ends)].join(''));
  }
  return [...coined];
}
