import { seededRandom } from '../../../src/random.ts';
import type { Company } from './registry.ts';

const FIRST = [
  'Acme',
  'Alpine',
  'Atlas',
  'Baker',
  'Bayview',
  'Blue',
  'Castle',
  'Cedar',
  'Coral',
  'Crown',
  'Delta',
  'Douglas',
  'Eagle',
  'Élan',
  'Falcon',
  'First',
  'Global',
  'Golden',
  'Harbour',
  'Island',
  'Jubilee',
  'Kiwi',
  'Laxey',
  'Manx',
  'Meridian',
  'Nordlys',
  'Ørsta',
  'Peel',
  'Quayside',
  'Ramsey',
  'Sulby',
  'Tynwald',
  'Union',
  'Viking',
  'Western',
  'Zenith',
  '3D',
  '24 Hour',
  "O'Neill",
  'Русский',
  '東京',
  '大阪',
  '株式会社',
];
const SECOND = [
  'Aviation',
  'Bakery',
  'Capital',
  'Consulting',
  'Design',
  'Energy',
  'Farms',
  'Films',
  'Foods',
  'Fund',
  'Holdings',
  'Homes',
  'Hotels',
  'Investments',
  'Joinery',
  'Kitchens',
  'Logistics',
  'Marine',
  'Media',
  'Motors',
  'Optics',
  'Partners',
  'Plumbing',
  'Properties',
  'Roofing',
  'Shipping',
  'Systems',
  'Trading',
];
const CONSONANTS = ['B', 'C', 'D', 'F', 'G', 'H', 'K', 'L', 'M', 'N', 'P', 'R', 'S', 'T', 'V', 'W'];
const VOWELS = ['a', 'e', 'i', 'o', 'u'];
const ENDINGS = ['', 'n', 'r', 's', 'll', 'rt', 'th'];
const LAST = ['Limited', 'Limited', 'Limited', 'Ltd', 'LLC', 'Foundation', 'PLC', ''];

/**
 * Synthetic companies. The companies' names share words, occur repeatedly and use several scripts. The same seed always
 * gives the same companies.
 */
export function syntheticCompanies(count: number, seed = 1): Company[] {
  const random = seededRandom(seed).next;
  const pick = (from: readonly string[]) => from[Math.floor(random() ** 1.7 * from.length)] as string;
  const syllable = () => `${pick(CONSONANTS)}${pick(VOWELS)}${pick(ENDINGS)}`;
  return Array.from({ length: count }, (_, at) => {
    const middle = random() < 0.3 ? ` ${pick(FIRST)}` : '';
    const founder = random() < 0.7 ? ` ${syllable()}${syllable().toLowerCase()}` : '';
    const name = `${pick(FIRST)}${middle}${founder} ${pick(SECOND)} ${pick(LAST)}`.trim();
    return { id: String(100_000 + at * 7), name };
  });
}
