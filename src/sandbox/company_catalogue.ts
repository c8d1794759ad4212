import type { ApiProfile } from '../api/api_profile.ts';
import type { Catalogue } from '../api/catalogue.ts';
import { UsageError } from '../errors.ts';
import { companyDocuments, isNumericId, withVolatile } from './company_documents.ts';
import { type CompanyStore, exists, type StoredCompany } from './company_store.ts';
import { incrementalIndex } from './incremental_index.ts';

export interface CompanyCatalogue extends Catalogue {
  /** Stops following changes to the store. */
  close(): void;
}

/** Creates a catalogue of companies in memory, in one profile's format. It follows changes to the store. */
export function companyCatalogue(
  store: CompanyStore,
  profile: ApiProfile,
  now: () => number,
): CompanyCatalogue {
  if (profile.ids === 'number') rejectOtherIds(store);
  const documents = companyDocuments(profile);
  const index = incrementalIndex(store, profile.search.folding, profile.search.order);
  const summaries = cached(documents.summaryOf);
  const records = cached((company: StoredCompany) =>
    exists(company) ? documents.recordOf(company) : documents.tombstoneOf(company, company.goneAtMs ?? 0),
  );
  let responses = 0;

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
      const text = withVolatile(records(company), `${now()}-${responses++}`);
      return { text, gone: !exists(company) };
    },
    stats: () => ({ updated_at: new Date(now()).toISOString(), coverage: { complete: true } }),
    close: index.close,
  };
}

/**
 * Rejects ids that the profile cannot represent. All ids are checked at the start, because individual responses would
 * fail otherwise.
 */
function rejectOtherIds(store: CompanyStore): void {
  for (const { id } of store.all()) {
    if (isNumericId(id)) continue;
    throw new UsageError(
      `The profile requires ids that are JSON numbers, but the id "${id}" is not a number.`,
      {
        hint: 'Use another --shape, or companies whose ids are digits without a leading zero.',
      },
    );
  }
}

/** Caches each company's text until that company changes. */
function cached(textOf: (company: StoredCompany) => string): (company: StoredCompany) => string {
  const texts = new WeakMap<StoredCompany, string>();
  return (company) => {
    const known = texts.get(company);
    if (known !== undefined) return known;
    const text = textOf(company);
    texts.set(company, text);
    return text;
  };
}
