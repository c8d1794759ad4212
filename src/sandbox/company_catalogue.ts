import type { ApiProfile } from '../api/api_profile.ts';
import type { Catalogue } from '../api/catalogue.ts';
import { Listings } from '../api/listings.ts';
import { UsageError } from '../errors.ts';
import { companyDocuments, isNumericId, withVolatile } from './company_documents.ts';
import { type CompanyStore, exists } from './company_store.ts';

/** Creates a catalogue of the sandbox's companies in one profile's format. */
export function companyCatalogue(store: CompanyStore, profile: ApiProfile, now: () => number): Catalogue {
  if (profile.ids === 'number') rejectOtherIds(store);
  const documents = companyDocuments(profile);
  const finder = store.finder(profile.search.folding, profile.search.order);
  const listings = new Listings({
    find: (query) => finder.find(query),
    entityId: (key) => finder.entityId(key),
    version: () => String(store.version),
  });
  let responses = 0;

  return {
    count: () => store.count(),
    // A page of the sandbox shows the present matches, as pages of a registry do.
    search: (query) => listings.matches(query, undefined, now()),
    summary(id) {
      const company = store.get(id);
      return company !== null && exists(company) ? documents.summaryOf(company) : null;
    },
    record(id) {
      const company = store.get(id);
      if (company === null) return null;
      const gone = !exists(company);
      const text = gone ? documents.tombstoneOf(company, company.goneAtMs ?? 0) : documents.recordOf(company);
      return { text: withVolatile(text, `${now()}-${responses++}`), gone };
    },
    stats: () => ({ updated_at: new Date(now()).toISOString(), coverage: { complete: true } }),
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
