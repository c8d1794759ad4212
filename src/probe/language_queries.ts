import { foldCharacters } from './errors/error_words.ts';
import type { Exchange } from './evidence.ts';

/**
 * The languages of registries: words that occur in error messages and in the names of keys and parameters, and queries
 * that find many names in this language even if they must be whole words.
 */
const LANGUAGES: readonly (readonly [words: string, queries: string])[] = [
  ['der die das feld muss ist nicht zeichen firma firmen such suche anzahl treffer', 'gmbh verwaltung'],
  ['le la les champ doit est requete caracteres denomination recherche raison siren entreprise', 'sarl sas'],
  ['el los campo debe obligatorio parametro razon busqueda denominacion sociedad nif', 's.l. sociedad'],
  ['il lo deve campo obbligatorio caratteri denominazione ragione ricerca imprese totale', 's.r.l. srl spa'],
  ['dit het een veld verplicht vereist naam zoek bedrijf handelsnaam statutaire kvk', 'b.v. beheer'],
  ['pole parametr wymagan szuka nazwa fraza podmiot krs liczba', 'sp._z_o.o. spolka'],
  ['haku hakusana pakollinen parametri nimi yritys toiminimi merkki ytunnus', 'oyj tmi kiinteisto'],
  ['och inte foretag sok tecken namn antal parametern tjansten', 'aktiebolag förening'],
  ['ikke foretak navn sok tegn enhet orgnr parameteren', 'asa eiendom'],
  ['ikke virksomhed navn soge tegn angiv felt felter cvr', 'aps holding'],
  ['os nao deve campo designacao razao empresas pesquisa caracteres nipc nome', 'lda ltda'],
];

/** Returns queries in the language that the responses and the query parameter's name suggest most, or [] if none do. */
export function queriesInLanguage(exchanges: readonly Exchange[], param: string): string[] {
  const texts = exchanges.flatMap(({ text, request }) => {
    // A message can repeat what the request contained, which has words in several languages.
    const sent = new Set(request.params.flat().flatMap(wordsIn));
    return wordsIn(text).filter((word) => !sent.has(word));
  });
  const found = new Set([...texts, ...wordsIn(param)]);
  const scored = LANGUAGES.map(([words, queries]) => {
    const known = words.split(' ');
    const score = [...found].filter((word) =>
      known.some((one) => word === one || isInflected(word, one)),
    ).length;
    return { score, queries };
  });
  const best = scored.reduce((one, other) => (other.score > one.score ? other : one));
  return best.score === 0 ? [] : best.queries.split(' ').map((query) => query.replaceAll('_', ' '));
}

function wordsIn(text: string): string[] {
  return foldCharacters(text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')).match(/[a-z]{2,}/g) ?? [];
}

function isInflected(word: string, stem: string): boolean {
  return stem.length >= 4 && word.startsWith(stem);
}
