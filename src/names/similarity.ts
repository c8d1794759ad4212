import { folded, isAscii, withoutDiacritics, withPlainLetters, wordsOf } from './folding.ts';

/**
 * Compares wanted names with names in the registry. Two names are the same if their `comparable` forms are equal. All
 * other pairs score below 1, and a person decides whether the company is the wanted one.
 */

/**
 * Returns the form in which two names are compared for equality. It ignores letter case, character width, spaces, the
 * kind of quotes and dashes, and a full stop or comma at the end of a word. "C & A" and "C A" are different names.
 */
export function comparable(name: string): string {
  return folded(name.normalize('NFKC'))
    .replace(/[‘’‛`´]/gu, "'")
    .replace(/[“”„«»]/gu, '"')
    .replace(/\p{Pd}/gu, '-')
    .replace(/[.,](?=\s|$)/gu, '')
    .trim();
}

/** The parts of a name, computed once for many comparisons. */
export interface Anatomy {
  readonly comparable: string;
  /** The words in the name, without diacritics, punctuation, words for "and", or legal form. */
  readonly core: string;
  /** The words of the core and of the legal form. */
  readonly whole: string;
  /** The usual abbreviation of the legal form; '' if the name has none. */
  readonly form: string;
}

export function anatomyOf(name: string): Anatomy {
  const whole = roughly(name);
  return { comparable: comparable(name), whole, ...coreOf(whole) };
}

/** Returns whether a text consists of legal forms only. */
export function isOnlyForm({ core }: Anatomy): boolean {
  return FORMS.some(([spelling]) => spelling === core);
}

/** Returns a name's words as the full-text index contains them, without its legal form and its words for "and". */
export function significantWords(name: string): string[] {
  const rough = roughly(name);
  const formLength = wordsOf(rough).length - wordsOf(coreOf(rough).core).length;
  const words = withoutAnd(wordsOf(withoutDiacritics(name)));
  return words.slice(0, words.length - formLength);
}

/**
 * Returns the similarity of two names. It is 1 for the same name. Otherwise it is 0.95 times the closeness of the
 * cores, plus 0.05 if the legal forms are equal, and at most 0.99.
 */
export function similarity(a: Anatomy, b: Anatomy): number {
  if (a.comparable === b.comparable) return 1;
  return Math.min(0.99, 0.95 * closeness(a.core, b.core) + (a.form === b.form ? 0.05 : 0));
}

/**
 * Returns the words without diacritics or punctuation. This form is used only to find candidates, because "Ærø" and
 * "Aero" are different names.
 */
function roughly(text: string): string {
  const plain = withPlainLetters(withoutDiacritics(text)).replace(/['’.]/gu, '');
  const words = withoutAnd(wordsOf(plain)).join(' ');
  return words === '' ? plain : words;
}

function withoutAnd(words: readonly string[]): string[] {
  const kept = words.filter((word) => !AND.has(word));
  return kept.length === 0 ? [...words] : kept;
}

/** The words that names use for "&", which is no word. */
const AND: ReadonlySet<string> = new Set(['and', 'und', 'et', 'og', 'och', 'y']);

/** Returns a text's distinct trigrams. A space is added at either end, so that short texts also have trigrams. */
export function trigramsOf(text: string): Set<string> {
  const characters = [...` ${text} `];
  const found = new Set<string>();
  for (let at = 0; at + 3 <= characters.length; at++) found.add(characters.slice(at, at + 3).join(''));
  return found;
}

/**
 * Splits a name into its core and its legal form. The legal form is at the end or, in scripts without spaces, at either
 * end.
 */
function coreOf(rough: string): { readonly core: string; readonly form: string } {
  const lastWord = rough.slice(rough.lastIndexOf(' ') + 1);
  for (const [spelling, form] of FORMS_BY_LAST_WORD.get(lastWord) ?? [])
    if (rough.endsWith(` ${spelling}`)) return { core: rough.slice(0, -spelling.length - 1), form };
  if (!isAscii(rough))
    for (const [spelling, form] of FORMS_WITHOUT_SPACES) {
      if (rough.length <= spelling.length) continue;
      if (rough.endsWith(spelling)) return { core: rough.slice(0, -spelling.length).trim(), form };
      if (rough.startsWith(spelling)) return { core: rough.slice(spelling.length).trim(), form };
    }
  return { core: rough, form: '' };
}

/**
 * Returns 1 − d/n, where d is the optimal string alignment distance and n is the length of the longer text. Returns 0
 * if the lengths differ by more than half of n.
 */
function closeness(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const longest = Math.max(left.length, right.length);
  if (longest === 0 || Math.abs(left.length - right.length) > longest / 2) return 0;
  return 1 - editDistance(left, right) / longest;
}

/**
 * Returns the optimal string alignment distance: the number of insertions, deletions, substitutions and swaps of
 * adjacent characters.
 */
export function editDistance(a: readonly string[], b: readonly string[]): number {
  let twoBack: number[] = [];
  let back = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let fewest = Math.min((back[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (back[j - 1] ?? 0) + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        fewest = Math.min(fewest, (twoBack[j - 2] ?? 0) + 1);
      row.push(fewest);
    }
    [twoBack, back] = [back, row];
  }
  return back[b.length] ?? 0;
}

/** The spellings of each legal form, as `roughly` returns them. They affect only scores. */
const LEGAL_FORMS: Readonly<Record<string, readonly string[]>> = {
  plc: ['public limited company', 'plc'],
  llp: ['limited liability partnership', 'llp'],
  llc: ['limited liability company', 'llc'],
  ltd: ['company limited', 'co limited', 'co ltd', 'limited', 'ltd'],
  inc: ['incorporated', 'inc'],
  corp: ['corporation', 'corp'],
  lp: ['limited partnership', 'lp'],
  co: ['company', 'co'],
  coop: ['cooperative', 'co operative', 'coop', 'co op'].flatMap((word) => [
    `${word} society limited`,
    `${word} society ltd`,
    `${word} society`,
    `${word} limited`,
    `${word} ltd`,
    word,
  ]),
  cic: ['community interest company', 'cic'],
  gmbh: ['gesellschaft mit beschrankter haftung', 'gmbh co kg', 'gmbh'],
  eg: ['eingetragene genossenschaft', 'genossenschaft', 'eg'],
  kg: ['kommanditgesellschaft', 'kg'],
  ohg: ['offene handelsgesellschaft', 'ohg'],
  ug: ['unternehmergesellschaft', 'ug'],
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
  lda: ['limitada', 'ltda', 'lda'],
  scop: ['societe cooperative', 'scop'],
  spzoo: ['spolka z ograniczona odpowiedzialnoscia', 'sp z o o', 'sp zoo'],
  sa: ['societe anonyme', 'sociedad anonima', 'sa'],
  kk: ['株式会社'],
  yk: ['有限会社'],
  gk: ['合同会社'],
  有限公司: ['股份有限公司', '有限责任公司', '有限公司'],
  주식회사: ['주식회사'],
  ооо: ['общество с ограниченнои ответственностью', 'ооо'],
  ао: ['акционерное общество', 'ао'],
};

type Spelled = readonly [spelling: string, form: string];

/** All spellings, longest first, so that a legal form is removed completely. */
const FORMS: readonly Spelled[] = Object.entries(LEGAL_FORMS)
  .flatMap(([form, spellings]) => spellings.map((spelling): Spelled => [roughly(spelling), form]))
  .sort(([a], [b]) => b.length - a.length);
const FORMS_BY_LAST_WORD = Map.groupBy(FORMS, ([spelling]) => spelling.slice(spelling.lastIndexOf(' ') + 1));
/** Legal forms that names in scripts without spaces have at either end. */
export const FORMS_WITHOUT_SPACES = FORMS.filter(([spelling]) => /[^\p{ASCII}\p{sc=Cyrl} ]/u.test(spelling));
