import type { ErrorHints } from './errors/error_hints.ts';
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

/** The use of a parameter, as far as its name shows it. `filter`: a fixed choice such as a country or a language. */
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
 * The parts of names in several languages, in the order of precedence: `pageSize` is a size, `nextPageToken` a cursor.
 * A part of fewer than four letters must be a whole word.
 */
const PARTS: readonly (readonly [ParamRole, readonly string[]])[] = [
  part('cursor', 'cursor token continuation curseur kursor marcador'),
  part(
    'size',
    `size limit count rows max take perpage anzahl grosse groesse taille limite limiet cantidad tamano tamanho
    quantidade aantal antall antal storrelse storlek ilosc rozmiar maara koko dimensione quanti numero_risultati
    grense top tope hits results resultaten treffer resultats resultados num`,
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

/** A name with one of these words is a filter: `country_name`, `date_from`. */
const FILTER = part(
  'filter',
  `country land pays pais paese kraj maa lang language sprache langue idioma lingua taal sprak jezyk kieli status state
  etat estado stato tila type typ tipo tyyppi kind format version date datum fecha data jurisdiction region sort order
  fields include active`,
)[1];

/** Returns the role of a parameter by its name; null: the name shows none. */
export function roleOfParam(name: string): ParamRole | null {
  const exact = EXACT.get(name);
  if (exact !== undefined) return exact;
  const words = wordsOfKey(name).map(foldCharacters);
  if (FILTER.some((word) => words.includes(word))) return 'filter';
  return PARTS.find(([, parts]) => parts.some((one) => hasPart(words, one)))?.[0] ?? null;
}

/** Whether a parameter requests another page. */
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
 * Returns the parameters to try for a role: those that the API names; else the usual ones, without those that it
 * refused. The usual ones are guesses, which end with their share of the calls.
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

/** What error messages state about parameters, and whether others may still be guessed. */
export interface ParamEvidence {
  readonly stated: ErrorHints;
  readonly mayGuess: boolean;
}
