/** What APIs call things. Order is likelihood; none of these is relied on without evidence. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const scored = (score: number, text: string) => words(text).map((word) => [word, score] as const);

export const QUERY_PARAMS = words(`
  q query name search term text company_name keyword filter[name] company navn companyName searchTerm search_term
  keywords searchText legal_name nom s filter[entity.legalName] search_query title denominacion firma`);

export const IDENTIFIER_PARAMS = words(`
  identifier id number company_number registration_number entity_id orgnr filter[id] organisasjonsnummer companyNumber
  registrationNumber reg_number registry_code code lei filter[lei] siren company_id vat ids`);

export const SIZE_PARAMS = words(`
  limit per_page page_size size pageSize items_per_page page[size] perPage count rows max_results page[limit] take
  maxResults num results_per_page`);

/**
 * Sizes that few APIs have by themselves, and none refuses as too large: each parameter of the size is sent another
 * one, to tell which one counts.
 */
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

/**
 * Texts that find companies in most registries, whether by how names begin, by whole words or anywhere: articles
 * and legal forms of many languages that many names begin with as well. Each is sent with another parameter, to
 * tell which one counts.
 */
export const SEED_TEXTS = words('co as the sa and in ag de la st al ro ab no ma be el do ge so pa mi un ra');

/** The letters that names most often begin with: they find something even in a small registry. */
export const LETTERS = [...'smabctpgdlrkheinfvowjuzy'];

/** Three letters that many names begin with. */
export const PREFIXES = words('int mar con the tra pro car sol nor ast gre tec');

/** Longer ones, for searches that want several letters or whole words. */
export const LONG_SEED_TEXTS = words(`
  limited group services company holding international trading north consulting first solutions partners energy
  global capital invest property transport green technology marine studio union royal`);

export const NAME_WORDS: ReadonlyMap<string, number> = new Map([
  ['name', 10],
  ['names', 9],
  ['title', 8],
  ...scored(9, 'navn nom nome nombre namn naam nimi nazwa nazev nazov firma meno'),
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
    name latitude longitude lat lon lines house floor request`),
);

/** Keys beside a company in the element of a list that say nothing of the company. */
export const ELEMENT_WORDS: ReadonlySet<string> = new Set(
  words(`
    score rank relevance highlight highlights matches match position index type explain sort distance kind weight
    confidence`),
);

/** Keys beside a record in its body that say nothing of the company. */
export const ENVELOPE_WORDS: ReadonlySet<string> = new Set(
  words(`
    api version status success ok meta metadata links link request timestamp queried time took message error errors
    code warnings jsonapi copyright licence license attribution generated kind result duration elapsed self href notice`),
);

export const TOTAL_WORDS: ReadonlyMap<string, number> = new Map([
  ...scored(6, 'total totalcount totalresults totalelements totalhits numfound found'),
  ...scored(4, 'count hits matches'),
  ...scored(1, 'results elements items records size number num all antall antal'),
]);

export const NOT_TOTAL_WORDS: ReadonlySet<string> = new Set(
  words(`
    pages page per limit offset start from to last first current next took ms time duration status code version year
    remaining quota calls index max`),
);

/** Words that count companies, in the statistics. */
export const COMPANY_WORDS: ReadonlySet<string> = new Set(
  words(`
    company companies entity entities organisation organisations organization organizations enterprise enterprises
    business businesses firm firms enheter registered legal unites legales empresas sociedades entreprises unternehmen
    corporations records`),
);

/** Parts of a count, or counts of something else. */
export const NOT_COMPANY_WORDS: ReadonlySet<string> = new Set(
  words(`
    officer officers person persons people events filings documents acts charges active inactive dissolved closed new
    added removed deleted changed updated today month week day daily year calls requests remaining quota limit rate
    version page pages size time timestamp ms seconds id port code status branches addresses owners directors
    shareholders ratio percent share indexed`),
);
