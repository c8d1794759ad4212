/**
 * The vocabulary that APIs use: parameter names, keys and queries, most likely first. Each word is only a candidate
 * that the responses must confirm. Add a new parameter name to the list for its kind.
 */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const pairs = (text: string) =>
  words(text).map((word) => word.split('=', 2) as unknown as readonly [string, string]);
const scored = (score: number, text: string) => words(text).map((word) => [word, score] as const);

/**
 * Parameters that may take the query. Each has its own query, which has matches in most registries under any query
 * rule. The query is an article or a legal form in one of many languages, and is also a prefix of many names.
 */
export const QUERY_PARAM_SEEDS: readonly (readonly [param: string, seed: string])[] = pairs(`
  q=co query=as name=the search=sa term=and text=in company_name=ag navn=al filter[name]=la keyword=de company=st
  companyName=ro searchTerm=ab search_term=no keywords=ma searchText=be legal_name=el nom=do s=ge
  filter[entity.legalName]=so search_query=pa title=mi denominacion=un firma=ra`);

export const QUERY_PARAMS = QUERY_PARAM_SEEDS.map(([param]) => param);
export const SEED_QUERIES = QUERY_PARAM_SEEDS.map(([, seed]) => seed);

export const IDENTIFIER_PARAMS = words(`
  identifier id number company_number registration_number entity_id orgnr filter[id] organisasjonsnummer companyNumber
  registrationNumber reg_number registry_code code lei filter[lei] siren company_id vat ids`);

export const SIZE_PARAMS = words(`
  limit per_page page_size size pageSize items_per_page page[size] perPage count rows max_results page[limit] take
  maxResults num results_per_page`);

/** Small page sizes that are rarely the default. Each size parameter is sent with a different size. */
export const DISTINCTIVE_SIZES: readonly number[] = [
  19, 18, 17, 16, 14, 13, 11, 9, 8, 7, 6, 12, 15, 4, 3, 2, 1,
];

export const PAGE_PARAMS = words(
  'page p page_number page[number] pageNumber page_no pageNo pg pageIndex current_page',
);

export const OFFSET_PARAMS = words('offset start skip start_index startIndex from page[offset] start_row');

export const CURSOR_PARAMS = words(`
  cursor page_token after next next_cursor pageToken page[cursor] page[after] starting_after continuation
  nextPageToken next_page_token scroll_id token`);

/** Page and offset parameters, which are each tried in a separate request. */
export const SINGLE_PAGING_PARAMS = words(
  'page offset start p page_number skip start_index page[number] from pageNumber',
);

/** Words in keys for next-page links and cursors. */
export const NEXT_PAGE_WORDS: ReadonlySet<string> = new Set(
  words('next cursor after continuation scroll suivant suivante volgende neste siguiente'),
);

export const NOT_NEXT_PAGE_WORDS: ReadonlySet<string> = new Set(
  words('previous prev before first last self has'),
);

/** The most frequent first letters in names. They have matches even in a small registry. */
export const LETTERS = [...'smabctpgdlrkheinfvowjuzy'];

/** Frequent legal forms, for APIs that find only whole words or names in few languages. */
export const LEGAL_FORMS = words('ltd gmbh sarl srl');

/** Legal forms in Japanese, Chinese, Korean, Russian and Greek names. */
export const NON_LATIN_QUERIES = words('株式会社 有限公司 주식회사 ооо αε');

/** Frequent prefixes of three letters. */
export const PREFIXES = words('the nor mar pro int con uni tra gre cas wes car sol pre');

/** Frequent words, for APIs that require queries to have several letters or be whole words. */
export const LONG_SEED_QUERIES = words(`
  limited group services company holding international trading north consulting first solutions partners energy
  global capital invest property transport green technology marine studio union royal`);

export const NAME_WORDS: ReadonlyMap<string, number> = new Map([
  ['name', 10],
  ['names', 9],
  ['title', 8],
  ...scored(9, 'navn nom nome nombre namn naam nimi nazwa nazev nazov jmeno firma meno'),
  ...scored(8, 'denomination denominacion denominazione bezeichnung raison ragione'),
  ...scored(2, 'label caption display business entity organisation organization'),
]);

export const NOT_NAME_WORDS: ReadonlySet<string> = new Set(
  words(`
    previous former old alias aliases other short type status form kind class country city locality street address
    region jurisdiction postcode url uri href link links description snippet sort date time code lang language category
    officer director contact publisher source file user email phone activity id`),
);

export const ID_WORDS: ReadonlyMap<string, number> = new Map([
  ['id', 10],
  ['identifier', 9],
  ...scored(8, 'number no nr num nummer numero uuid guid'),
  ...scored(8, 'lei siren orgnr cif nif nip krs ico cvr cnpj rut abn acn uen ein'),
  ...scored(7, 'slug key kvk cui oib vat'),
  ...scored(4, 'code kod ref reference handle register registration'),
]);

export const NOT_ID_WORDS: ReadonlySet<string> = new Set(
  words(`
    date time at status type form phone fax postal postcode zip country version score rank position index count
    employees year amount capital page parent street address previous former category activity sic nace industry etag
    name latitude longitude lat lon lines house floor request geo siege`),
);

/** Keys in a list element that describe the match, not the company. */
export const ELEMENT_WORDS: ReadonlySet<string> = new Set(
  words(`
    score rank relevance highlight highlights matches match position index type explain sort distance kind weight
    confidence`),
);

/** Keys in a body that describe the response, not the company. */
export const ENVELOPE_WORDS: ReadonlySet<string> = new Set(
  words(`
    api version status success ok meta metadata links link request timestamp queried time took message error errors
    code warnings jsonapi header copyright licence license attribution generated kind result duration elapsed self href notice`),
);

export const TOTAL_WORDS: ReadonlyMap<string, number> = new Map([
  ...scored(6, 'total totaal celkem totalcount totalresults totalelements totalhits numfound found'),
  ...scored(6, 'gesamt gesamtzahl gesamtanzahl trefferanzahl'),
  ...scored(4, 'count hits matches anzahl treffer liczba ilosc pocet cantidad aantal lukumaara quantidade'),
  ...scored(1, 'results elements items records size number num all antall antal'),
]);

export const NOT_TOTAL_WORDS: ReadonlySet<string> = new Set(
  words(`
    pages page per limit offset start from to last first current next took ms time duration status code version year
    remaining quota calls index max`),
);

/** Words in the statistics' keys that refer to companies. */
export const COMPANY_WORDS: ReadonlySet<string> = new Set(
  words(`
    company companies entity entities organisation organisations organization organizations enterprise enterprises
    business businesses firm firms enheter registered legal unites legales empresas sociedades entreprises unternehmen
    corporations records`),
);

/** Words in the statistics' keys that refer to only some companies, or to something else. */
export const NOT_COMPANY_WORDS: ReadonlySet<string> = new Set(
  words(`
    officer officers person persons people events filings documents acts charges active inactive dissolved closed new
    added removed deleted changed updated today month week day daily year calls requests remaining quota limit rate
    version page pages size time timestamp ms seconds id port code status branches addresses owners directors
    shareholders ratio percent share indexed`),
);
