/**
 * What to ask of a registry of which nothing is known yet. Order is preference: Latin letters and digits
 * first, then common first characters of other scripts. What comes back teaches the rest.
 */
const LATIN = [...'acsmbpetdgrhilnfwkjovuzyxq'];
const DIGITS = [...'1234567890'];
const OTHER_SCRIPTS = [
  ...'株有合東大日三中新一アスエサコ山北西フトマ', // Japanese
  ...'上深广北江浙杭南天成华', // Chinese
  ...'주한에삼대', // Korean
  ...'соапткмвнргиэюбдлфцзеу', // Cyrillic
  ...'ακπμσετδγν', // Greek
  ...'שאמ', // Hebrew
  ...'شمأا', // Arabic
  ...'øåäöéüčšžłıç', // Latin letters with marks
];

/** Words that stand in very many company names, for searches that find whole words only. */
const WORDS = [
  ...['limited', 'company', 'the', 'holdings', 'ltd', 'group', 'services', 'and', 'international', 'of'],
  ...['investments', 'management', 'inc', 'trading', 'properties', 'capital', 'global', 'consulting', 'llc'],
  ...['association', 'foundation', 'trust', 'partners', 'first', 'new', 'bank', 'finance', 'systems', 'co'],
  ...[
    'as',
    'ab',
    'asa',
    'oy',
    'aps',
    'gmbh',
    'ag',
    'kg',
    'bv',
    'nv',
    'sa',
    'sarl',
    'sas',
    'sl',
    'srl',
    'spa',
  ],
  ...['sp', 'zoo', 'doo', 'oü', 'uab', 'sia', 'kft', 'sro', 'ltda', 'societe', 'société', 'sociedad', 'de'],
  ...[
    '株式会社',
    '有限会社',
    '合同会社',
    '有限公司',
    '주식회사',
    'ооо',
    'общество',
    'ао',
    'αε',
    'επε',
    'בעמ',
  ],
  ...[
    'شركة',
    'holding',
    'invest',
    'eiendom',
    'bygg',
    'immobilien',
    'verwaltung',
    'immobiliare',
    'construction',
  ],
];

export type Seed = { readonly text: string; readonly weight: number };

/** Single characters to begin a tree with; the weights fall with the preference. */
export function characterSeeds(): Seed[] {
  return [
    ...LATIN.map((text, rank) => ({ text, weight: 1 / (1 + rank / 8) })),
    ...DIGITS.map((text, rank) => ({ text, weight: 0.15 / (1 + rank / 4) })),
    ...OTHER_SCRIPTS.map((text) => ({ text, weight: 0.002 })),
  ];
}

/** Digits and capital letters: how identifiers begin. */
export function identifierSeeds(): Seed[] {
  return [
    ...[...'0123456789'].map((text) => ({ text, weight: 1 })),
    ...[...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((text) => ({ text, weight: 0.05 })),
  ];
}

export function wordSeeds(): Seed[] {
  return WORDS.map((text, rank) => ({ text, weight: 1 / (1 + rank) ** 0.6 }));
}
