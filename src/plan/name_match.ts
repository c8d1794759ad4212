import { folded, wordsOf } from './folding.ts';

/**
 * Matching of a wanted name with names of the registry. Equal after folding is the same name; anything else
 * is a candidate with a score, for a person to decide. Nothing here guesses.
 */

/**
 * Two names are the same exactly when this is: letter case, width, spaces, the kind of quotes and dashes, and
 * a full stop or comma at the end of a word do not matter. "C & A" and "C A" are not the same.
 */
export function comparable(name: string): string {
  return folded(name.normalize('NFKC'))
    .replace(/[‘’‛`´]/gu, "'")
    .replace(/[“”„«»]/gu, '"')
    .replace(/\p{Pd}/gu, '-')
    .replace(/[.,](?=\s|$)/gu, '')
    .trim();
}

/** From 0 (nothing in common) to below 1 for names that are not the same; 1 is the same name. */
export function similarity(a: string, b: string): number {
  if (comparable(a) === comparable(b)) return 1;
  const [left, right] = [coreOf(roughly(a)), coreOf(roughly(b))];
  const forms = left.form === right.form ? 1 : 0;
  return Math.min(0.99, 0.95 * closeness(left.name, right.name) + 0.05 * forms);
}

/** Words without marks and punctuation, for the search of candidates only: "Ærø" and "Aero" are not the same name. */
export function roughly(text: string): string {
  const bare = folded(text.normalize('NFKD')).replace(/\p{M}/gu, '').replace(/['’.]/gu, '');
  const plain = bare.replace(/[ßæœøłđ]/gu, (letter) => PLAIN[letter] ?? letter);
  const words = wordsOf(plain).join(' ');
  return words === '' ? plain : words;
}

const PLAIN: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd' };

/** Distinct runs of three characters, with the ends marked, so that short names have some too. */
export function trigramsOf(text: string): Set<string> {
  const characters = [...` ${text} `];
  const found = new Set<string>();
  for (let at = 0; at + 3 <= characters.length; at++) found.add(characters.slice(at, at + 3).join(''));
  return found;
}

/** The name without its legal form, and the form under its usual short name; '' where there is none. */
function coreOf(rough: string): { readonly name: string; readonly form: string } {
  for (const [spelling, form] of FORMS) {
    if (rough.length <= spelling.length) continue;
    const isWord = /[a-z]/.test(spelling);
    if (rough.endsWith(isWord ? ` ${spelling}` : spelling))
      return { name: rough.slice(0, -spelling.length).trim(), form };
    // Scripts without spaces put the form at either end.
    if (!isWord && rough.startsWith(spelling)) return { name: rough.slice(spelling.length).trim(), form };
  }
  return { name: rough, form: '' };
}

/** One less the share of characters that must be typed, left out, changed or swapped (optimal string alignment). */
function closeness(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const longest = Math.max(left.length, right.length);
  return longest === 0 ? 0 : 1 - alignment(left, right) / longest;
}

function alignment(a: readonly string[], b: readonly string[]): number {
  let twoBack: number[] = [];
  let back = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((back[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (back[j - 1] ?? 0) + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (twoBack[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [twoBack, back] = [back, row];
  }
  return back[b.length] ?? 0;
}

/** Forms of one meaning share a line, written as `roughly` writes. They only raise or lower a score. */
const LEGAL_FORMS: Readonly<Record<string, readonly string[]>> = {
  plc: ['public limited company', 'plc'],
  llp: ['limited liability partnership', 'llp'],
  llc: ['limited liability company', 'llc'],
  ltd: ['company limited', 'co limited', 'co ltd', 'limited', 'ltd'],
  inc: ['incorporated', 'inc'],
  corp: ['corporation', 'corp'],
  lp: ['limited partnership', 'lp'],
  co: ['company', 'co'],
  gmbh: ['gesellschaft mit beschrankter haftung', 'gmbh co kg', 'gmbh'],
  ag: ['aktiengesellschaft', 'ag'],
  asa: ['allmennaksjeselskap', 'asa'],
  as: ['aksjeselskap', 'as', 'a s'],
  ab: ['aktiebolag', 'ab'],
  oy: ['osakeyhtio', 'oyj', 'oy'],
  aps: ['anpartsselskab', 'aps'],
  bv: ['besloten vennootschap', 'bv'],
  nv: ['naamloze vennootschap', 'nv'],
  sas: ['societe par actions simplifiee', 'sas'],
  sarl: ['societe a responsabilite limitee', 'sarl'],
  srl: ['societa a responsabilita limitata', 'srl'],
  spa: ['societa per azioni', 'spa'],
  sl: ['sociedad limitada', 'sl'],
  sa: ['societe anonyme', 'sociedad anonima', 'sa'],
  kk: ['株式会社'],
  yk: ['有限会社'],
  gk: ['合同会社'],
  有限公司: ['股份有限公司', '有限责任公司', '有限公司'],
  주식회사: ['주식회사'],
  ооо: ['общество с ограниченнои ответственностью', 'ооо'],
  ао: ['акционерное общество', 'ао'],
};

/** The longest spelling first, so that the whole form is taken off. */
const FORMS: readonly (readonly [spelling: string, form: string])[] = Object.entries(LEGAL_FORMS)
  .flatMap(([form, spellings]) => spellings.map((spelling) => [roughly(spelling), form] as const))
  .sort(([a], [b]) => b.length - a.length);
