import { foldCharacters } from './errors/error_words.ts';
import { wordsOfKey } from './json_leaves.ts';
import {
  CURSOR_PARAMS,
  IDENTIFIER_PARAMS,
  OFFSET_PARAMS,
  PAGE_PARAMS,
  QUERY_PARAMS,
  SIZE_PARAMS,
} from './word_lists.ts';

/**
 * What a parameter is used for, derived from its name. A `filter` has a fixed set of values, such as countries or
 * languages.
 */
export type ParamRole = 'query' | 'identifier' | 'size' | 'page' | 'offset' | 'cursor' | 'filter';

const EXACT: ReadonlyMap<string, ParamRole> = new Map([
  ...withRole('query', QUERY_PARAMS),
  ...withRole('identifier', IDENTIFIER_PARAMS),
  ...withRole('size', SIZE_PARAMS),
  ...withRole('page', PAGE_PARAMS),
  ...withRole('offset', OFFSET_PARAMS),
  ...withRole('cursor', CURSOR_PARAMS),
]);

/**
 * Parts of parameter names in several languages. Earlier roles take precedence: `pageSize` is a size, `nextPageToken`
 * is a cursor. A part with fewer than four letters must be a whole word in the name.
 */
const PARTS: readonly (readonly [ParamRole, readonly string[]])[] = [
  part('cursor', 'cursor token continuation curseur kursor marcador'),
  part(
    'size',
    `size limit count rows max take perpage anzahl grosse groesse taille limite limiet cantidad tamano tamanho
    quantidade aantal antall antal storrelse storlek ilosc rozmiar maara koko dimensione quanti numero_risultati
    grense top tope hits results resultaten treffer resultats resultados`,
  ),
  part(
    'offset',
    'offset skip start from versatz debut desde vanaf inizio inicio poczatek decalage alku fra od',
  ),
  part('page', 'page seite pagina pagine side sida sivu strona pg blad bladzijde'),
  part(
    'query',
    `query search such recherche rech busca busqueda ricerca cerca zoek sok haku hae szuka pesquisa consulta fraza
    term text texto testo tekst keyword stichwort begriff palabra parola woord trefwoord sana slowo fulltext phrase
    name nom nome nombre naam navn namn nimi nazwa firma firm denomina razon ragione raison bezeichnung company
    bedrijf empresa azienda entreprise unternehmen yritys virksomhet foretak societe title titel like contains`,
  ),
  part(
    'identifier',
    `number nummer numero identifier siren siret orgnr kvk krs nip regon ico cif nif vat lei code kode id nr no cvr uid
    ytunnus registernr`,
  ),
];

/** A parameter with one of these words in its name is a filter: `country_name`, `date_from`. */
const FILTER = part(
  'filter',
  `country land pays pais paese kraj maa lang locale language sprache langue idioma lingua taal sprak jezyk kieli status state
  etat estado stato tila type typ tipo tyyppi kind format version date datum fecha data jurisdiction region sort order
  fields include active`,
)[1];

/** Returns the role that a parameter's name suggests, or null if the name suggests none. */
export function roleOfParam(name: string): ParamRole | null {
  const exact = EXACT.get(name);
  if (exact !== undefined) return exact;
  const words = wordsOfKey(name).map(foldCharacters);
  if (FILTER.some((word) => words.includes(word))) return 'filter';
  if (words.includes('skip') || words.includes('offset')) return 'offset';
  if (hasPartOf('page', words)) {
    if (words.some((word) => PER_WORDS.has(word))) return 'size';
    if (words.some((word) => INDEX_WORDS.has(word))) return 'page';
  }
  return PARTS.find(([, parts]) => parts.some((one) => hasPart(words, one)))?.[0] ?? null;
}

/** Together with a word for a page, these words mean a page size, as in `resultsPerPage`. */
const PER_WORDS: ReadonlySet<string> = new Set('per pro par por pr na op'.split(' '));

/** Together with a word for a page, these words mean a page number, as in `numPagina` or `pageNo`. */
const INDEX_WORDS: ReadonlySet<string> = new Set(
  'num no nr nro number nummer numero index idx current'.split(' '),
);

function hasPartOf(role: ParamRole, words: readonly string[]): boolean {
  return PARTS.some(([name, parts]) => name === role && parts.some((one) => hasPart(words, one)));
}

/** Returns whether a parameter can select a page: by page number, offset or cursor. */
export function isPagingParam(name: string): boolean {
  const role = roleOfParam(name);
  return role === 'page' || role === 'offset' || role === 'cursor';
}

function hasPart(words: readonly string[], wanted: string): boolean {
  if (words.includes(wanted)) return true;
  return wanted.length >= 4 && words.some((word) => word.includes(wanted));
}

function part(role: ParamRole, list: string): readonly [ParamRole, readonly string[]] {
  return [role, list.trim().split(/\s+/)];
}

function withRole(role: ParamRole, names: readonly string[]): [string, ParamRole][] {
  return names.map((name) => [name, role]);
}

/**
 * Returns the parameters to try for a role. If the API names its parameters, only those are tried. Otherwise, the usual
 * names are tried, except those that the API has refused. Usual names are guesses, and only a share of the calls may be
 * spent on guesses.
 */
export function candidatesFor(
  role: ParamRole,
  usual: readonly string[],
  { stated: { allowed, unknown, isListed, refusesUnknown }, mayGuess }: ParamEvidence,
): string[] {
  const named = allowed.filter((name) => roleOfParam(name) === role);
  if (named.length > 0 || isListed || (refusesUnknown && !mayGuess)) return named;
  return usual.filter((name) => !unknown.includes(name));
}

/** What error messages state about parameters, and whether the probe may still guess names. */
export interface ParamEvidence {
  readonly stated: {
    readonly allowed: readonly string[];
    readonly unknown: readonly string[];
    readonly isListed: boolean;
    readonly refusesUnknown: boolean;
  };
  readonly mayGuess: boolean;
}
