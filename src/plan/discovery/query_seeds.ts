import type { Semantics } from '../../names/query_matching.ts';
import {
  CHARACTER_GROUPS,
  DIGITS,
  LATIN_LETTERS,
  SCRIPT_LEGAL_FORMS,
  SCRIPT_WORDS,
} from './first_characters.ts';
import type { Extension } from './key_space.ts';

/** Frequent words in company names. They are the first queries if the upstream finds only whole words. */
const WORDS: readonly string[] = `
  limited company the holdings ltd group services and international of investments management inc trading properties
  capital global consulting llc association foundation trust partners first new bank finance systems co as ab asa oy aps
  gmbh ag kg bv nv sa sarl sas sl srl spa sp zoo doo oü uab sia kft sro ltda societe société sociedad de 株式会社 有限会社 合同会社
  有限公司 주식회사 ооо общество ао αε επε בעמ شركة holding invest eiendom bygg immobilien verwaltung immobiliare construction
`
  .trim()
  .split(/\s+/u);

export type Seed = { readonly text: string; readonly weight: number };

/** Returns the single characters that a name query tree starts with. Characters with a higher weight are preferred. */
export function characterSeeds(): Seed[] {
  return CHARACTER_GROUPS.flatMap(({ characters, weight }) =>
    characters.map((text, place) => ({ text, weight: weight(place) })),
  ).filter(({ weight }) => weight > 0);
}

/** Returns the single characters that identifiers begin with: digits and capital letters. */
export function identifierSeeds(): Seed[] {
  return [
    ...DIGITS.characters.toSorted().map((text) => ({ text, weight: 1 })),
    ...LATIN_LETTERS.characters.toSorted().map((text) => ({ text: text.toUpperCase(), weight: 0.05 })),
  ];
}

export function wordSeeds(): Seed[] {
  return WORDS.map((text, rank) => ({ text, weight: 1 / (1 + rank) ** 0.6 }));
}

/**
 * Returns the beginnings of common words in other scripts, if the upstream requires more than one character. They are
 * as long as the min query length. If queries can match inside a name, legal forms are included.
 */
export function scriptSeeds(semantics: Semantics, minLength: number): Extension[] {
  if (minLength <= 1 && semantics !== 'token') return [];
  const length = semantics === 'token' ? Number.POSITIVE_INFINITY : minLength;
  const isLongEnough = (word: string) => [...word].length >= minLength;
  const beginnings = SCRIPT_WORDS.filter(isLongEnough).map((word) => [...word].slice(0, length).join(''));
  const forms = semantics === 'prefix' ? [] : SCRIPT_LEGAL_FORMS.filter(isLongEnough);
  return [...new Set([...beginnings, ...forms])].map((text) => ({
    ...{ text, likelihood: SCRIPT_LIKELIHOOD, hasNewCharacter: true },
  }));
}

const SCRIPT_LIKELIHOOD = 1e-3;
