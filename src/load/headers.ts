import type { Dialect } from '../dialect/dialect.ts';
import { pagingMethod } from '../dialect/paging/paging.ts';
import type { Outcome } from '../outcome.ts';

/** Of the response headers those that reading the body again needs, as JSON; null: none. */
export function headersToKeep(dialect: Dialect): (headers: Outcome['headers']) => string | null {
  const named = dialect.responses.flatMap(({ header }) =>
    header === undefined ? [] : [header.toLowerCase()],
  );
  const wanted = new Set([...named, ...pagingMethod(dialect.search.paging.style).keptHeaders]);
  return (headers = {}) => {
    const contentType = headers['content-type'];
    const kept = Object.entries(headers).filter(([name]) => wanted.has(name));
    // UTF-8 is what JSON is (RFC 8259); only another character set must be known.
    if (contentType !== undefined && /charset=(?!"?utf-?8)/i.test(contentType))
      kept.push(['content-type', contentType]);
    return kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept));
  };
}
