/** Parameter names that are too usual for a strict API, which has rare ones. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const QUERY_PARAMS = words(`
  q query name search term text company_name navn filter[name] keyword company companyName searchTerm
  search_term keywords searchText legal_name nom s filter[entity.legalName] search_query title denominacion
  firma`);

export const IDENTIFIER_PARAMS = words(`
  identifier id number company_number registration_number entity_id orgnr filter[id] organisasjonsnummer
  companyNumber registrationNumber reg_number registry_code code lei filter[lei] siren company_id vat ids`);

export const SIZE_PARAMS = words(`
  limit per_page page_size size pageSize items_per_page page[size] perPage count rows max_results page[limit]
  take maxResults num results_per_page`);

export const PAGE_PARAMS = words(`
  page p page_number page[number] pageNumber page_no pageNo pg pageIndex current_page`);

export const OFFSET_PARAMS = words(`
  offset start skip start_index startIndex from page[offset] start_row`);
