import type { ApiProfile } from '../api/api_profile.ts';
import type { Catalogue } from '../api/catalogue.ts';
import { UsageError } from '../errors.ts';
import { isNumericId, withVolatile, wordingOf } from './company_documents.ts';
import { type CompanyStore, exists, type StoredCompany } from './company_store.ts';
import { incrementalIndex } from './incremental_index.ts';

export interface CompanyCatalogue extends Catalogue {
  /** Stops following the store. */
  close(): void;
}

/** The catalogue over companies in memory, told in one shape. It follows the store's changes. */
export function companyCatalogue(
  store: CompanyStore,
  profile: ApiProfile,
  now: () => number,
): CompanyCatalogue {
  if (profile.ids === 'number') refuseOtherIds(store);
  const wording = wordingOf(profile);
  const index = incrementalIndex(store, profile.search.folding, profile.search.order);
  const summaries = remembering(wording.summaryOf);
  const records = remembering((company: StoredCompany) =>
    exists(company) ? wording.recordOf(company) : wording.tombstoneOf(company, company.goneAtMs ?? 0),
  );
  let answers = 0;

  return {
    count: store.count,
    search: index.search,
    summary(id) {
      const company = store.get(id);
      return company !== null && exists(company) ? summaries(company) : null;
    },
    record(id) {
      const company = store.get(id);
      if (company === null) return null;
      const text = withVolatile(records(company), `${now()}-${answers++}`);
      return { text, gone: !exists(company) };
    },
    stats: () => ({ updated_at: new Date(now()).toISOString(), coverage: { complete: true } }),
    close: index.close,
  };
}

/** Said at the start: later it would be an error in every second answer. */
function refuseOtherIds(store: CompanyStore): void {
  for (const { id } of store.all()) {
    if (isNumericId(id)) continue;
    throw new UsageError(`The shape writes ids as JSON numbers, and the id "${id}" is none.`, {
      hint: 'Take another shape, or companies whose ids are digits without a leading zero.',
    });
  }
}

/** Texts are made when first asked for, and go with their company. */
function remembering(word: (company: StoredCompany) => string): (company: StoredCompany) => string {
  const texts = new WeakMap<StoredCompany, string>();
  return (company) => {
    const known = texts.get(company);
    if (known !== undefined) return known;
    const text = word(company);
    texts.set(company, text);
    return text;
  };
}
