import { expect, it } from 'vitest';
import { probedWith } from '../support/probed_api.ts';

/** Ordinary APIs with one query parameter, one for the page, and unknown parameters ignored. */

const WORDS =
  'North River Stone Harbour Glass Timber Field Cedar Willow Anchor Summit Lake Bridge Copper Silver Falcon'.split(
    ' ',
  );
const KINDS = ['Ltd', 'Limited', 'Services Ltd', 'Holdings', 'Trading Limited', 'Group'];
const COMPANIES = Array.from({ length: 300 }, (_, index) => ({
  id: String(10020300 + index * 7),
  name: `${WORDS[(index * 7) % 16]} ${WORDS[(index >> 3) % 16]} ${KINDS[index % 6]}`,
}));

const RULES = {
  prefix: (name: string, text: string) => name.startsWith(text),
  substring: (name: string, text: string) => name.includes(text),
  token_prefix: (name: string, text: string) =>
    text.split(' ').every((part) => name.split(' ').some((word) => word.startsWith(part))),
};

it.each([
  ['prefix', 'search', 'page', 20, false, 'a total'],
  ['prefix', 'q', 'offset', 10, false, 'a total'],
  ['prefix', 'search', 'page', 50, true, 'no total'],
  ['substring', 'q', 'page', 20, true, 'no total'],
  ['token_prefix', 'search', 'offset', 20, true, 'no total'],
  ['substring', 'q', 'seite', 20, false, 'a total'],
] as const)(
  '%s search with %s and %s, %i rows a page, is learned (all without a query: %s, %s)',
  (rule, query, page, size, listsAll, totals) => {
    const style = page === 'offset' ? 'offset' : 'page';
    const first = page === 'offset' ? 0 : 1;
    const { search, calls } = probedWith(({ kind, path, params }) => {
      if (kind !== 'search') {
        const company = COMPANIES.find(({ id }) => path.endsWith(`/${id}`));
        return company === undefined ? { status: 404, json: {} } : { status: 200, json: company };
      }
      const sent = new Map(params);
      const text = (sent.get(query) ?? '').toLowerCase();
      const found = COMPANIES.filter(({ name }) =>
        text === '' ? listsAll : RULES[rule](name.toLowerCase(), text),
      );
      const value = Number(sent.get(page) ?? first);
      const from = page === 'offset' ? value : (value - 1) * size;
      const total = totals === 'a total' ? { total: found.length } : {};
      return { status: 200, json: { ...total, results: found.slice(from, from + size) } };
    });
    expect(search?.rule.value).toBe(rule);
    expect(search?.paging.value).toEqual({ style, param: page, first });
    expect(calls).toBeLessThanOrEqual(16);
  },
);
