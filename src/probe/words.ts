/**
 * The vocabulary of APIs: roots of words in a dozen languages. Parameter names and JSON keys are word forms of these
 * roots, in any spelling (`companyName`, `company-name`, `filter[name]`, `$name`). A word only proposes a hypothesis.
 */

/** What a parameter may be for. A `filter` has a fixed set of values, such as countries or languages. */
export type ParamRole = 'query' | 'identifier' | 'size' | 'page' | 'offset' | 'cursor' | 'filter';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Splits a name into folded words: `companyNumber`, `$company_number` and `company-number` have the same two words. */
export function wordsOfKey(key: string): string[] {
  return folded(key.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2'))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Converts a text to lower case without diacritics. */
export function folded(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[øæłßđıœ]/g, (letter) => PLAIN[letter] ?? letter);
}

const PLAIN: Readonly<Record<string, string>> = { ø: 'o', æ: 'a', ł: 'l', ß: 's', đ: 'd', ı: 'i', œ: 'o' };

/** Returns whether a word is a form of a root: the root itself, an inflection, or a compound that begins or ends with it. */
export function isFormOf(word: string, root: string): boolean {
  if (word === root) return true;
  if (root.length < 4) return false;
  return word.startsWith(root) || word.endsWith(root) || (root.length >= 5 && word.includes(root));
}

function hasForm(own: readonly string[], roots: readonly string[]): boolean {
  return own.some((word) => roots.some((root) => isFormOf(word, root)));
}

/** The roots of parameter names by role. Earlier roles take precedence: `pageSize` is a size, `nextPageToken` a cursor. */
const ROLES: readonly (readonly [ParamRole, readonly string[]])[] = [
  [
    'cursor',
    words(`cursor token continue continuation curseur kursor marcador after scroll searchafter pos marker bookmark
      checkpoint`),
  ],
  ['offset', words('skip offset ofs os off')],
  [
    'size',
    words(`size limit count cnt rows max take top perpage anzahl grosse groesse taille limite limiet cantidad tamano
      tamanho quantidade aantal antall antal storrelse storlek ilosc rozmiar maara koko dimensione quanti numero_risultati
      grense tope hits results resultaten treffer resultats resultados items num nombre_de pocet records length len lim sz
      rpp ps n`),
  ],
  ['offset', words('start from versatz debut desde vanaf inizio inicio poczatek decalage alku fra od')],
  ['page', words('page p seite pagina pagine side sida sivu strona pg pn blad bladzijde')],
  ['cursor', words('next')],
  [
    'query',
    words(`q s query search such recherche rech busca busqueda ricerca cerca zoek sok haku hae szuka pesquisa consulta
      fraza term text texto testo tekst keyword word stichwort begriff palabra parola woord trefwoord sana slowo fulltext
      phrase name nm nom nome nombre naam navn namn nimi nazwa nazev nazov jmeno firma firm denomina razon ragione raison
      bezeichnung company bedrijf empresa azienda entreprise unternehmen yritys virksomhed foretak foretag societe title
      titel like contains filter where find lookup hledat wyraz keres nosaukums nimetus naziv pavadinimas denumire`),
  ],
  [
    'identifier',
    words(`id ids identifier number nummer numero siren siret orgnr kvk krs nip regon ico cif nif vat lei code kode nr
      no cvr uid uei ytunnus registernr tunnus`),
  ],
];

const FILTERS =
  words(`country land pays pais paese kraj maa lang language sprache langue idioma lingua taal sprak
  jezyk kieli status state etat estado stato tila type typ tipo tyyppi kind format version date datum fecha data
  jurisdiction region sort order orderby fields include active locale resource_id dataset select expand rejestr city`);

/** Together with a word for a page, these words mean a page size, as in `resultsPerPage`. */
const PER = new Set(words('per pro par por pr na op len length lim sz'));

/** Together with a word for a page, these words mean a page number, as in `numPagina` or `pageNo`. */
const INDEX = new Set(words('num no nr nro nbr number nummer numero index idx current cur this id'));

/** Together with a word for rows, these words mean the position of the first row, as in `firstResult`. */
const FROM: ReadonlySet<string> = new Set(words('from fra od start first begin offset skip'));

/** Other words in names for positions. */
const OF_ROWS: ReadonlySet<string> = new Set([
  ...FROM,
  ...words(`limit result results row rows record records item items entry entries index idx page hit hits number num no
    nr at pos position count`),
]);

/** The words into which a compound without a separator is split: `startrow`, `resultsperpage`. */
const PARTS = new Set([...PER, ...INDEX, ...OF_ROWS, ...words('pages pg size max min take top of n nb cnt')]);

const knownRoles = new Map<string, ParamRole | null>();

/** Returns the role that a parameter's name suggests, or null if the name suggests none. */
export function roleOfParam(name: string): ParamRole | null {
  // Every step of a probe asks for the roles of all names again.
  const known = knownRoles.get(name);
  if (known !== undefined) return known;
  const role = readRole(name);
  knownRoles.set(name, role);
  return role;
}

function readRole(name: string): ParamRole | null {
  const own = wordsOfKey(name).flatMap((word) => partsOf(word) ?? [word]);
  if (own.some((word) => FILTERS.includes(word)) && !/^filter\W/.test(name)) return 'filter';
  if (own.length > 1 && hasForm(own, rootsOf('page'))) {
    if (own.some((word) => PER.has(word))) return 'size';
    if (own.some((word) => INDEX.has(word))) return 'page';
  }
  // `dateFrom` is a filter, `resultsFrom` an offset.
  const isOfRows = own.every((word) => OF_ROWS.has(word));
  if (isOfRows && own.length > 1 && own.some((word) => FROM.has(word)) && !own.includes('page'))
    return 'offset';
  const others = own.filter(
    (word) => own.length === 1 || (word !== 'filter' && (isOfRows || !hasForm([word], ['from', 'start']))),
  );
  // A word can be spelled as two: `offSet`.
  const role = ROLES.find(([, roots]) => hasForm(others, roots) || roots.includes(own.join('')))?.[0] ?? null;
  // `company_number` is an identifier, `company_name` a query.
  const isIdentifier =
    role === 'query' &&
    own.length > 1 &&
    hasForm(others, rootsOf('identifier')) &&
    !own.some((word) => NAME_WORDS.get(word) === 10);
  return isIdentifier ? 'identifier' : role;
}

/** Splits a compound into words for pages, rows and numbers of them. Returns null if any part of it is another word. */
function partsOf(compound: string): string[] | null {
  if (PARTS.has(compound)) return [compound];
  for (let length = compound.length - 1; length > 0; length--) {
    const first = compound.slice(0, length);
    const rest = PARTS.has(first) ? partsOf(compound.slice(length)) : null;
    if (rest !== null) return [first, ...rest];
  }
  return null;
}

function rootsOf(role: ParamRole): readonly string[] {
  return ROLES.flatMap(([name, roots]) => (name === role ? roots : []));
}

/** Returns whether a parameter can select a page: by page number, offset or cursor. */
export function isPagingParam(name: string): boolean {
  const role = roleOfParam(name);
  return role === 'page' || role === 'offset' || role === 'cursor';
}

/** The usual terms of each role, most likely first. A term's words are spelled as the API spells its other names. */
const TERMS: Readonly<Record<Exclude<ParamRole, 'filter'>, readonly string[]>> = {
  query:
    words(`q query name search term text keyword Name company_name search_term filter[name] legal_name organization_name
    entity_name business_name full_name company organisation_name keywords word search_text search_key s navn nom nazwa nome nombre naam
    title firma filter[entity.legalName] search_query search_phrase filter namn nimi denominacion denomination
    denominazione razon_social raison_sociale names find fulltext official_name trade_name corporate_name entity
    organization organisation business registered_name obchodni_jmeno naziv ime tvrtka nimetus nosaukums pavadinimas
    denumire nev query_text query_string org`),
  identifier: words(`identifier id number company_number registration_number entity_id orgnr filter[id]
    organisasjonsnummer reg_number registry_code code lei filter[lei] siren company_id vat ids cvr kvk_number krs nip`),
  size: words(`limit per_page page_size size items_per_page page[size] count rows max_results page[limit] take
    num results_per_page top max pocet result_record_count`),
  page: words(
    'page p page_number page[number] page_no pg page_index current_page page_num strona pagina seite',
  ),
  offset: words('offset start skip start_index from page[offset] start_row result_offset limit_start'),
  cursor:
    words(`cursor page_token after next token next_cursor page[cursor] page[after] starting_after continuation
    next_page_token scroll_id continue curseur cursor_mark`),
};

const ROWS = words('rows results records items hits');
const ROW = words('row record result item');

/** Rare terms, which combine a word for rows or pages with one for a number or a position. */
const RARE_TERMS: Readonly<Partial<Record<ParamRole, readonly string[]>>> = {
  size: [
    ...ROWS.flatMap((rows) => [`max_${rows}`, `num_${rows}`, `${rows}_per_page`]),
    ...[...ROW, 'page'].flatMap((row) => [`${row}_limit`, `${row}_count`]),
    ...words(
      'rpp ps n length nrows lim cnt sz records items list_size batch_size page_len nb_results number_of_results no_of_rows max_result',
    ),
  ],
  page: [
    ...words('no num nr number index idx id').flatMap((index) => [`page_${index}`, `pg_${index}`]),
    ...words('pn cur_page this_page result_page start_page which_page'),
  ],
  offset: [
    ...ROW.flatMap((row) => [
      `start_${row}`,
      `first_${row}`,
      `${row}_start`,
      `${row}_offset`,
      `skip_${row}s`,
    ]),
    ...words(
      'os start_at begin first start_position off start_from ofs position begin_index from_row start_num pos page_start',
    ),
  ],
};

/** How an API spells the names of its parameters. */
export interface Spelling {
  readonly sigil: '' | '$';
  readonly joins: readonly ('snake' | 'camel' | 'kebab' | 'pascal' | 'flat')[];
}

/** Returns the usual names for a role in the API's spelling, most likely first. */
export function usualNames(role: Exclude<ParamRole, 'filter'>, { sigil, joins }: Spelling): string[] {
  if (sigil !== '') return TERMS[role].filter((term) => !/[[_]/.test(term)).map((term) => sigil + term);
  return inSpelling(TERMS[role], joins);
}

/** Returns the other names for the page and its size: usual terms in another spelling, and rare terms. */
export function rareNames(role: Exclude<ParamRole, 'filter'>, joins: Spelling['joins']): string[] {
  const rare = RARE_TERMS[role];
  if (rare === undefined) return [];
  const names = [
    ...inSpelling(TERMS[role], ['flat', 'pascal', 'kebab']),
    ...inSpelling(rare, [...joins, 'flat']),
    ...inSpelling(rare, ['pascal']),
  ];
  return names.filter((name) => roleOfParam(name) === role);
}

/** Returns terms in snake case as the API spells names. Terms with brackets or dots stay as they are. */
export function inSpelling(terms: readonly string[], joins: Spelling['joins']): string[] {
  const names = terms.flatMap((term) =>
    /[[.]/.test(term) ? [term] : joins.map((join) => joined(term, join)),
  );
  return [...new Set(names)];
}

function joined(term: string, join: Spelling['joins'][number]): string {
  if (join === 'kebab' || join === 'flat') return term.replaceAll('_', join === 'flat' ? '' : '-');
  if (join === 'snake') return term;
  const words = join === 'pascal' ? /(?:^|_)(.)/g : /_(.)/g;
  return term.replace(words, (_, letter: string) => letter.toUpperCase());
}

/** Returns the spelling that these names show. Without evidence, snake case comes before camel case. */
export function spellingOf(names: readonly string[]): Spelling['joins'] {
  const count = (pattern: RegExp) => names.filter((name) => pattern.test(name)).length;
  const [snake, camel, kebab] = [count(/\p{L}_\p{L}/u), count(/\p{Ll}\p{Lu}/u), count(/\p{L}-\p{L}/u)];
  if (kebab > snake + camel) return ['kebab', 'snake', 'camel'];
  return camel > snake ? ['camel', 'snake'] : ['snake', 'camel'];
}

type Scores = ReadonlyMap<string, number>;
const scored = (text: string): Scores =>
  new Map(words(text).map((word) => [word.split('=')[0] ?? '', Number(word.split('=')[1])]));

/** Scores of the words in keys for names. */
export const NAME_WORDS =
  scored(`name=10 names=9 title=8 navn=9 nom=9 nome=9 nombre=9 namn=9 naam=9 nimi=9 nazwa=9
  nazev=9 nazov=9 jmeno=9 firma=9 meno=9 naziv=9 nosaukums=9 nimetus=9 pavadinimas=9 denumire=9 nev=7 ime=9 shem=7
  nm=7 denomination=8 denominacion=8 denominazione=8 bezeichnung=8 raison=8 ragione=8 razon=8 designacao=8 label=6 caption=2
  verbal=8 display=2 business=2 entity=2 organisation=2 organization=2 company=2 legal=2 text=2`);

export const GIVEN_NAME_WORDS: ReadonlySet<string> = new Set(
  words(`first given forename forenames firstname givenname prenom prenoms vorname vornamen fornavn fornamn etunimi imie ime
    voornaam voornamen krstne`),
);
export const FAMILY_NAME_WORDS: ReadonlySet<string> = new Set(
  words(`last family surname lastname familyname nachname etternavn efternavn efternamn sukunimi nazwisko prijmeni priezvisko
    cognome apellido apellidos sobrenome prezime achternaam`),
);

/** Words for the parts of a person's name too. */
export const PERSON_NAME_WORDS = new Map([
  ...NAME_WORDS,
  ...[...GIVEN_NAME_WORDS, ...FAMILY_NAME_WORDS].map((word) => [word, 5] as const),
]);

export const NOT_NAME_WORDS: ReadonlySet<string> = new Set(
  words(`previous former old alias aliases other short skracena type status form kind class country city locality street address
    region jurisdiction postcode url uri href link links description snippet sort date time code lang language category
    officer director contact applicant applicants owner owners representative representatives agent publisher source file user email phone activity id town municipality naselja kommune poststed
    auxiliary parent trade dba branch historical history`),
);

export const ID_WORDS =
  scored(`id=10 identifier=9 number=8 no=8 nr=8 num=8 nummer=8 numero=8 uuid=8 guid=8 lei=8
  siren=8 orgnr=8 cif=8 nif=8 nip=8 krs=8 ico=8 cvr=8 cnpj=8 rut=8 abn=8 acn=8 uen=8 uei=8 ein=8 slug=7 key=7 kvk=7
  cui=7 oib=7 vat=7 code=4 kod=4 ref=4 reference=4 handle=4 register=4 registration=4`);

export const NOT_ID_WORDS: ReadonlySet<string> = new Set(
  words(`date time at status type form phone fax postal postcode zip country version score rank position index count
    employees year amount capital page parent street address previous former category activity sic nace industry etag
    name latitude longitude lat lon lines house floor request geo siege timestamp`),
);

/** Keys in a list element that describe the match, not the company. */
export const ELEMENT_WORDS: ReadonlySet<string> = new Set(
  words(`score rank relevance highlight highlights matches match position index type explain sort distance kind weight
    confidence`),
);

/** Keys in a body that describe the response, not the company. */
export const ENVELOPE_WORDS: ReadonlySet<string> = new Set(
  words(`api version status success ok meta metadata links link request timestamp queried time took message error errors
    code warnings jsonapi header copyright licence license attribution generated kind result duration elapsed self href
    notice help total count totals found odata`),
);

export const TOTAL_WORDS =
  scored(`total=6 nhits=6 totaal=6 celkem=6 totalcount=6 totalresults=6 totalelements=6 totalhits=6
  numfound=6 found=6 gesamt=6 gesamtzahl=6 gesamtanzahl=6 trefferanzahl=6 count=4 hits=4 matches=4 anzahl=4 treffer=4
  liczba=4 ilosc=4 pocet=4 cantidad=4 aantal=4 lukumaara=4 quantidade=4 results=1 elements=1 items=1 records=1 size=1
  number=1 num=1 all=1 antall=1 antal=1`);

export const NOT_TOTAL_WORDS: ReadonlySet<string> = new Set(
  words(`pages page per limit offset start from to last first current next took ms time duration status code version year
    remaining quota calls index max shards`),
);

const NONE: ReadonlySet<string> = new Set(
  words(`no not none zero 0 nothing aucun aucune nenhum nenhuma ningun ninguna sin nessun nessuna kein keine keinen geen
    ingen inga ei brak zadny zadne nebyl nebyly nic nincs yok не нет ничего немає`),
);
const FOUND_THINGS =
  words(`result record entries company companies organisation organization compan entit match hits data resultat
  resultad risultat treffer ergebnis eintrag tulo wynik vysledk talalat sonuc результат запис данн`);
const ROUTES = words('route resource url uri endpoint path page method controller action service api');

/** Returns whether a text means that a search found nothing. The text of a missing address does not. */
export function saysNothingFound(text: string): boolean {
  const own = wordsOfKey(text.slice(0, 500));
  return own.some((word) => NONE.has(word)) && hasForm(own, FOUND_THINGS) && !hasForm(own, ROUTES);
}

/** Words in the statistics' keys that refer to companies. */
export const COMPANY_WORDS: ReadonlySet<string> = new Set(
  words(`company companies entity entities organisation organisations organization organizations enterprise enterprises
    business businesses firm firms enheter registered legal unites legales empresas sociedades entreprises unternehmen
    corporations records`),
);

/** Words in the statistics' keys that refer to only some companies, or to something else. */
export const NOT_COMPANY_WORDS: ReadonlySet<string> = new Set(
  words(`officer officers person persons people events filings documents acts charges active inactive dissolved closed new
    added removed deleted changed updated today month week day daily year calls requests remaining quota limit rate
    version page pages size time timestamp ms seconds id port code status branches addresses owners directors
    shareholders ratio percent share indexed shards activas activos extinguidas disueltas actives cessees radiees aktive
    geloscht attive cessate ativas baixadas aktiva aktywne`),
);

/** Words in keys for next-page links and cursors. */
export const NEXT_PAGE_WORDS: ReadonlySet<string> = new Set(
  words('next cursor after continue continuation scroll suivant suivante volgende neste siguiente nastepna'),
);

/** Words in keys of flags: `true` means that rows follow. */
export const MORE_WORDS: ReadonlySet<string> = new Set([
  ...NEXT_PAGE_WORDS,
  ...words('more exceeded truncated mehr weitere mas mais altri meer flere fler lisaa wiecej dalsi dalsie'),
]);

/** Words in keys of flags: `false` means that rows follow. */
export const LAST_WORDS: ReadonlySet<string> = new Set(
  words('last final end letzte dernier derniere ultima'),
);

export const NOT_NEXT_PAGE_WORDS: ReadonlySet<string> = new Set(
  words('previous prev before first last self has'),
);

/** Words in keys for end dates. */
export const END_WORDS: ReadonlySet<string> = new Set(
  words(`end ended ends until expiry expires expired to thru fin bis ende hasta fine tot eind til slutt slut till koniec
    do loppu paattyi gyldigtil ceased`),
);

/** Keys that select the kind of an element: a type, a language, a flag. */
export const SELECTOR_WORDS: ReadonlySet<string> = new Set(
  words(`type kind typ tipo tyyppi art lang language locale current primary main preferred is active inactive valid status
    order version usage use role class category form`),
);

/** Queries that have matches in most registries under any query rule: legal forms and articles, also prefixes of names. */
export const SEEDS =
  words(`co as sa and in ag al la de st ro ab no ma be el do ge so pa mi un ra ca ha li me ne ti tr
  br cl fa gr ho ka lo mo pe re`);

/** Frequent words, for APIs that require several letters or whole words. */
export const LONG_SEEDS =
  words(`limited group services company holding international trading north consulting first
  solutions partners energy global capital invest property transport green technology marine studio union royal`);

export const LETTERS = [...'smabctpgdlrkheinfvowjuzy'];
export const PREFIXES = words('the con nor mar sun nat pro int uni tra gre sta roy cas wes car sol pre');

/**
 * Legal forms and usual words in several languages, which even searches for whole words find. Each of the first ones
 * finds names in other scripts and languages than those before it.
 */
export const USUAL_WORDS =
  words(`агро trans sa ооо de 株式会社 주식회사 тов 有限公司 gmbh srl holding agro ltd בע"מ شركة αε
  บริษัท sarl oyj lda aps aktiebolag beheer`);

/** A language of registries: how it shows, and queries that find many names in it. */
interface Language {
  /** Its script, if that is not Latin. */
  readonly script?: RegExp;
  /** Its words in paths, keys and messages. */
  readonly own?: readonly string[];
  /** Top-level domains of its countries. */
  readonly domains: readonly string[];
  readonly queries: readonly string[];
}

const LANGUAGES: readonly Language[] = [
  ...[
    [/[\p{Script=Hiragana}\p{Script=Katakana}]{2}/u, 'jp', '株式会社 商事 工業 サービス'] as const,
    [/\p{Script=Hangul}{2}/u, 'kr', '주식회사 산업 건설'] as const,
    [/\p{Script=Han}{2}/u, 'cn tw hk mo', '有限公司 公司 科技'] as const,
    [/[іїєґ]\p{Script=Cyrillic}{2}/u, 'ua', 'агро тов приватне'] as const,
    [/ъ(?=\P{L}|\p{Script=Cyrillic}{3})/u, 'bg', 'еоод агро инвест'] as const,
    [/\p{Script=Cyrillic}{3}/u, 'ru by kz kg uz tj', 'ооо агро строй'] as const,
    [/\p{Script=Greek}{3}/u, 'gr cy', 'αε επε'] as const,
    [/\p{Script=Hebrew}{2}/u, 'il', 'בע"מ חברה'] as const,
    [/\p{Script=Arabic}{3}/u, 'sa ae eg qa kw jo om bh', 'شركة'] as const,
    [/\p{Script=Thai}{3}/u, 'th', 'บริษัท'] as const,
  ].map(([script, domains, queries]) => ({ script, domains: words(domains), queries: words(queries) })),
  ...[
    [
      `empresa empresas busqueda buscar contribuyente contribuyentes razon sociedad sociedades encontrado encontrada
      caracteres debe parametro nombre`,
      'es mx ar cl co pe ec py uy ve bo cr pa gt do hn sv ni',
      'sa servicios srl comercial',
    ],
    [
      `empresa empresas busca pesquisa razao sociedade sociedades encontrado encontrada caracteres deve parametro nome
      estabelecimento estabelecimentos`,
      'pt br ao mz',
      'ltda lda comercio',
    ],
    [
      `recherche entreprise entreprises societe societes etablissement etablissements caracteres doit veuillez trouve
      aucun aucune parametre debut nombre`,
      'fr lu ma tn sn ci',
      'sarl france sas',
    ],
    [
      'suche unternehmen firma firmen gefunden zeichen mindestens bitte fehler handelsregister bezeichnung',
      'de at ch li',
      'gmbh verwaltungs',
    ],
    [
      'ricerca impresa imprese azienda aziende societa ragione caratteri trovato trovata parametro errore',
      'it sm',
      'srl spa costruzioni',
    ],
    [
      'zoeken bedrijf bedrijven onderneming ondernemingen handelsnaam gevonden minimaal tekens',
      'nl be',
      'bv holding beheer',
    ],
    ['szukaj wyszukaj podmiot podmioty firma firmy nazwa znaleziono znakow wymagany', 'pl', 'spółka usługi'],
    [
      'subjekt subjekty nazev nazov jmeno meno hledat hladat nalezen nenalezen znaku znakov povinny',
      'cz sk',
      'sro stav služby',
    ],
    [
      'companie companii compania denumire cautare gasit gasita caractere parametrul',
      'ro md',
      'srl com trans',
    ],
    [
      'virksomhed virksomheder virksomhet virksomheter enhet enheter selskab selskap foretak sok tegn',
      'no dk',
      'as aps drift',
    ],
    ['foretag foretagsnamn organisationsnummer sok hittades tecken saknas', 'se', 'ab bygg'],
    ['yritys yritykset toiminimi haku hae merkkia puuttuu', 'fi', 'oy kiinteistö'],
    ['ceg cegek cegnev kereses talalat legalabb karakter', 'hu', 'kft bt'],
    ['tvrtka subjekt naziv pretraga podjetje podjetja iskanje preduzece', 'hr rs si ba me', 'doo obrt'],
    ['ettevote ettevotja nimetus otsing', 'ee', 'oü mtü'],
    ['uznemums uznemumi nosaukums meklet', 'lv', 'sia biedrība'],
    ['imone imones pavadinimas paieska', 'lt', 'uab'],
    ['sirket sirketler unvan arama bulunamadi karakter', 'tr', 'ticaret sanayi'],
    ['cong doanh nghiep tim kiem', 'vn', 'công thương'],
    ['', 'in', 'private pri'],
  ].map(([own = '', domains = '', queries = '']) => ({
    own: words(own).filter((word) => word !== ''),
    domains: words(domains),
    queries: words(queries),
  })),
];

/** Returns queries in the script of these texts, or [] if it is Latin. */
export function queriesInScript(texts: readonly string[]): readonly string[] {
  return (
    LANGUAGES.find(({ script }) => script !== undefined && texts.some((text) => script.test(text)))
      ?.queries ?? []
  );
}

/** Returns the country's code in the configured paths or the host's name, such as `cz` in `country=cz`, `/CZ/` or `.cz`. */
export function countryIn(host: string, paths: readonly string[]): string {
  const [stated] = paths.flatMap((path) => COUNTRY.exec(path) ?? COUNTRY_FOLDER.exec(path) ?? []);
  return (stated ?? /\.[a-z]{2}$/.exec(host)?.[0] ?? '').slice(-2).toLowerCase();
}

const COUNTRY = /(?<=(?:country|land|pa[iy]s|jurisdiction)\w*=)[a-z]{2}(?=&|$)/i;
const COUNTRY_FOLDER = /(?<=\/)[A-Z]{2}(?=[/?]|$)/;

/**
 * Returns queries in the language of an API, or [] if it seems to be English. The script of its texts shows the language,
 * then their words, then its country.
 */
export function queriesInLanguage(texts: readonly string[], country: string): readonly string[] {
  const inScript = queriesInScript(texts);
  if (inScript.length > 0) return inScript;
  const sent = new Set(texts.flatMap(wordsOfKey));
  const [best] = LANGUAGES.map(({ own = [], queries }) => ({
    queries,
    shared: own.filter((word) => sent.has(word)).length,
  })).sort((a, b) => b.shared - a.shared);
  if (best !== undefined && best.shared > 0) return best.queries;
  return LANGUAGES.find(({ domains }) => domains.includes(country))?.queries ?? [];
}

/** Scores a pointer's words: the last key counts fully, the keys above it half. Bad words cost nine. */
export function pointerScore(keys: readonly string[], good: Scores, bad: ReadonlySet<string>): number {
  return keys.reduce((score, key, index) => {
    const own = wordsOfKey(key);
    const weight = index === keys.length - 1 ? 1 : 0.5;
    const best = Math.max(0, ...own.map((word) => good.get(word) ?? compoundScore(word, good)));
    const alone = own.length === 1 && best > 0 ? 1 : 0;
    return score + weight * (best + alone - (own.some((word) => bad.has(word)) ? 9 : 0));
  }, 0);
}

/** Scores a compound by its ending: `organisasjonsnummer` ends in `nummer`, `entityname` in `name`. */
function compoundScore(word: string, good: Scores): number {
  for (const [ending, score] of good) if (ending.length >= 4 && word.endsWith(ending)) return score - 1;
  return 0;
}
