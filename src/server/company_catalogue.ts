import type { JsonObject } from '../dialect/json.ts';
import type { Catalogue } from './catalogue.ts';
import { type CompanyStore, exists, type StoredCompany } from './company_store.ts';
import { livingIndex } from './living_index.ts';
import type { Shape } from './shape/shape.ts';
import { withVolatile, wordingOf } from './shape/wording.ts';

/** The catalogue over companies in memory, told in one shape. It follows the store's changes. */
export function companyCatalogue(store: CompanyStore, shape: Shape, now: () => number): Catalogue {
  const wording = wordingOf(shape);
  const index = livingIndex(store, shape.search.folding, shape.search.order);
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
    stats: () => statistics(store),
  };
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

function statistics(store: CompanyStore): JsonObject {
  return { coverage: { from: '1921-01-03', complete: true, companies: store.count() } };
}
