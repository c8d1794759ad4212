import { describe, expect, it } from 'vitest';
import { findQueryRule, finds } from '../../src/probe/rule.ts';
import { searchPage } from '../support/probe_exchanges.ts';

describe('the query rule', () => {
  const known = [
    { id: '1', name: 'marlin fishing ltd' },
    { id: '2', name: 'blue marlin ltd' },
    { id: '3', name: 'summarline ltd' },
    { id: '4', name: 'oak marlinspike ltd' },
    { id: '5', name: 'marlinade ltd' },
    { id: '6', name: 'the marlins ltd' },
  ];

  it.each([
    ['prefix', ['1', '5']],
    ['token', ['1', '2']],
    ['token_prefix', ['1', '2', '4', '5', '6']],
    ['substring', ['1', '2', '3', '4', '5', '6']],
  ])('the query rule is %s if the query "marlin" finds the companies %j', (rule, ids) => {
    const page = searchPage(
      'marlin',
      known.filter(({ id }) => ids.includes(id)),
    );
    const finding = findQueryRule([page], known, () => true);
    expect(finding.possible).toContain(rule);
    // A field that is not shown may have matched the only row that contains the query inside a word.
    if (rule !== 'substring') expect(finding).toMatchObject({ value: rule, certainty: 'sure' });
  });

  it('the query rule stays unknown if the rows matched by a field that is not shown', () => {
    const unexplained = [
      { id: '9', name: 'Nothing alike' },
      { id: '8', name: 'Else' },
    ];
    expect(findQueryRule([searchPage('marlin', unexplained)], known, () => false).certainty).toBe('open');
  });

  it('the query rule is probably substring if a query finds the middle of names without spaces', () => {
    const rows = ['北京光宝生技工业有限公司', '上海永丰航运有限公司', '杭州新光机械有限公司'].map(
      (name, at) => ({ id: String(at), name }),
    );
    const finding = findQueryRule([searchPage('有限公司', rows)], rows, () => false);
    expect(finding).toMatchObject({ value: 'substring', certainty: 'likely' });
  });

  it('a row shows nothing about a rule if another of its texts has the query', () => {
    const rows = [
      { id: '1', name: 'Peter Martson', credit: 'S. Martson' },
      { id: '2', name: 'Anna Ashberg', credit: 'S. Ashberg' },
    ];
    const page = { ...searchPage('s', rows), rows };
    expect(findQueryRule([page], [], () => false).possible).toContain('token');
  });
});

describe('a query for a name with punctuation', () => {
  it.each([
    ['token', 'neil', "o'neil ltd", null],
    ['token_prefix', 'bar', 'foo-bar ltd', null],
    ['prefix', 'acme', '"acme" ltd', null],
    ['substring', 'neil', "o'neil ltd", true],
    ['token', 'acme  ltd', 'acme trading ltd', true],
  ] as const)(
    'under the rule %s, the query "%s" for the name %s has the result %s',
    (rule, query, name, expected) => {
      expect(finds(rule, query, name)).toBe(expected);
    },
  );
});
