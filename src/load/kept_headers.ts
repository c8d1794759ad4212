import type { Dialect } from '../dialect/dialect.ts';
import { headerNameIn } from '../dialect/header_or_path.ts';
import { pagingMethod } from '../dialect/paging/paging.ts';
import type { Outcome } from '../outcome.ts';

/**
 * Returns a function that selects the headers needed to parse the body again and returns them as JSON, or null if none
 * are needed.
 */
export function headersToKeep(dialect: Dialect): (headers: Outcome['headers']) => string | null {
  const named = dialect.responses.flatMap(({ header }) =>
    header === undefined ? [] : [header.toLowerCase()],
  );
  // Another record's URL in `Location` replaces the requested record.
  const { paging, total } = dialect.search;
  const wanted = new Set([
    'location',
    ...named,
    ...pagingMethod(paging.style).keptHeaders,
    ...[headerNameIn(total)].filter((name) => name !== null),
  ]);
  return (headers = {}) => {
    const contentType = headers['content-type'];
    const kept = Object.entries(headers).filter(([name]) => wanted.has(name));
    // JSON is UTF-8 by default (RFC 8259), so the content type is stored only if it names another character set.
    if (contentType !== undefined && /charset=(?!"?utf-?8)/i.test(contentType))
      kept.push(['content-type', contentType]);
    return kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept));
  };
}
