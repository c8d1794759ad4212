import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load_config.ts';
import { packagedFile } from '../../src/config/packaged_file.ts';
import {
  type FoundDialect,
  newConfiguration,
  withDialect,
  withQuestions,
} from '../../src/config/write_config.ts';
import { Dialect } from '../../src/dialect/dialect.ts';

const FILE = `# first line
version: 1
upstream:
  base_url: https://registry.example/api # where it is
  api_key: \${env:K}

# how much
allowance: { per_month: 500 } # as agreed
`;

const dialect = Dialect.parse({
  search: {
    query_param: 'q',
    paging: { style: 'page', param: 'page', size_param: 'size', size: 100 },
    results: '/results',
    id: '/id',
    name: '/name',
  },
  entity: { id: '/id' },
  stats: { total: '/total' },
});

const found: FoundDialect = { dialect, remarks: new Map(), open: new Set(), paths: null };

describe('a dialect written into a configuration', () => {
  it('writing a dialect changes no other keys, and the file can be read again', () => {
    const text = withDialect(FILE, found);
    for (const line of FILE.split('\n').filter((one) => one.includes('#'))) expect(text).toContain(line);
    expect(parse(text).dialect).toEqual(dialect);
    expect(text).toContain('api_key: ${' + 'env:K}');
  });

  it('a dialect written into a new file replaces the hint at its end and moves no comment', () => {
    const template = readFileSync(packagedFile('docs/new-configuration.yaml'), 'utf8');
    const upstream = { base_url: 'https://registry.example/api', api_key: null };
    const before = newConfiguration(template, 'schema.json', {
      version: 1,
      upstream,
      allowance: { total: 400 },
    });
    expect(before).toContain('$schema=schema.json\n');
    const text = withDialect(before, found);
    const comments = (file: string) => file.split('\n').filter((line) => /^ *#/.test(line));
    const hint = comments(before).at(-1);
    expect(hint).toContain('learns them in a few calls');
    expect(comments(text)).toEqual([...comments(before).filter((line) => line !== hint), expect.anything()]);
  });

  it('a written dialect has comments beside values and above sections', () => {
    const remarks = new Map([
      ['search.total', 'open: no answer counts'],
      ['search.paging', 'question: how?'],
      ['stats.total', 'likely: 500 there'],
    ]);
    const text = withDialect(FILE, { ...found, remarks });
    expect(text).toContain('total: null # open: no answer counts');
    expect(text).toContain('# question: how?\n    paging:');
    expect(text).toContain('total: /total # likely: 500 there');
    expect(parse(text).dialect).toEqual(dialect);
  });

  it('writing a dialect keeps manual entries about anything that the probe did not learn', () => {
    const before = withDialect(FILE, found)
      .replace('query_param: q', 'query_param: query # I asked them')
      .concat('  volatile: [/queried_at] # changes always\n');
    const text = withDialect(before, found);
    expect(text).toContain('query_param: q # I asked them');
    expect(text).toContain('volatile: [ /queried_at ] # changes always');
    expect(parse(text).dialect).toMatchObject({ volatile: ['/queried_at'] });
  });

  it('writing the same dialect again changes nothing', () => {
    const once = withDialect(FILE, found);
    expect(withDialect(once, found)).toBe(once);
  });

  it('writing a dialect deletes keys that the new paging style lacks', () => {
    const cursor = Dialect.parse({
      ...dialect,
      search: { ...dialect.search, paging: { style: 'next_url', next: '/next' } },
    });
    const text = withDialect(withDialect(FILE, found), { ...found, dialect: cursor });
    expect(parse(text).dialect?.search.paging).toEqual(cursor.search.paging);
  });

  it('writing a dialect keeps values that are still an open question', () => {
    const before = withDialect(FILE, found).replace('matches: unknown', 'matches: prefix');
    const text = withDialect(before, { ...found, open: new Set(['search.matches']) });
    expect(parse(text).dialect?.search.matches).toBe('prefix');
  });

  it('writing a dialect replaces the values and comments of an earlier probe together', () => {
    const { search } = dialect;
    const unpaged = { style: 'none', size_param: null, size: 10 } as const;
    const first = Dialect.parse({ ...dialect, search: { ...search, paging: unpaged, matches: 'token' } });
    const before = withDialect(FILE, {
      ...found,
      dialect: first,
      remarks: new Map([
        ['search.paging', 'open: no parameter changed the page yet'],
        ['search.paging.size', 'open: no page had more than 10 rows'],
        ['search.matches', 'likely: two names'],
        ['search.total', 'likely: it counts'],
      ]),
    });
    const paging = { ...unpaged, size_param: 'limit', size: 200 };
    const text = withDialect(before, {
      ...found,
      dialect: Dialect.parse({ ...dialect, search: { ...search, paging } }),
      remarks: new Map([
        ['search.paging', 'open: one of two parameters'],
        ['search.paging.size', 'likely: a request for more rows returns 200'],
        ['search.matches', 'open: no response distinguishes the rules'],
      ]),
      open: new Set(['search.paging', 'search.matches']),
    });
    expect(parse(text).dialect?.search.paging).toMatchObject(paging);
    expect(text).toContain('size: 200 # likely: a request for more rows returns 200');
    expect(text).toContain('matches: token # likely: two names');
    expect(text).toContain('# open: one of two parameters\n    paging:');
    expect(text.match(/# (likely|open)/g)).toHaveLength(3);
  });

  it('a written dialect contains the fallback paths for ids and names', () => {
    const { search, entity } = dialect;
    const two = {
      ...dialect,
      search: { ...search, id_fallbacks: ['/code'], name_fallbacks: ['/label', ['/first', '/last']] },
      entity: { ...entity, id_fallbacks: ['/code'], name_fallbacks: [['/first', '/last']] },
    };
    expect(parse(withDialect(FILE, { ...found, dialect: two })).dialect).toEqual(two);
  });

  it('writing a dialect deletes keys that now have their default value', () => {
    const wrapped = Dialect.parse({ ...dialect, search: { ...dialect.search, item: '/company' } });
    const text = withDialect(withDialect(FILE, { ...found, dialect: wrapped }), found);
    expect(parse(text).dialect).toEqual(dialect);
  });

  it('a written dialect contains min_length 0 if a search without a query lists everything', () => {
    const listing = { ...dialect, search: { ...dialect.search, min_length: 0 } };
    const text = withDialect(FILE, { ...found, dialect: listing });
    expect(text).toContain('min_length: 0');
    expect(parse(text).dialect).toEqual(listing);
    expect(withDialect(text, found)).not.toContain('min_length');
  });

  it('a written dialect contains the paths if the default paths are wrong', () => {
    const paths = {
      search: '/api/api/search',
      entity: '/api/api/entity/{id}',
      stats: '/api/api/registry/stats',
    };
    expect(parse(withDialect(FILE, { ...found, paths })).upstream.paths).toEqual(paths);
  });
});

describe('open questions written into a configuration', () => {
  it('open questions are written at the end of the configuration and are not repeated', () => {
    const once = withQuestions(FILE, ['Which parameter?']);
    expect(once.trimEnd().endsWith('# - Which parameter?')).toBe(true);
    const again = withQuestions(once, ['Which other?']);
    expect(again).not.toContain('Which parameter?');
    expect(again.match(/left these questions open/g)).toHaveLength(1);
    expect(() => parse(again)).not.toThrow();
  });

  it('what was found follows as a comment, which is the dialect without its number signs', () => {
    const text = withQuestions(FILE, ['Which field is the id?'], found);
    expect(parse(text).dialect).toBeUndefined();
    expect(text).not.toContain('##');
    const [, commented = ''] = text.split('# It found the following.');
    const lines = commented.split('\n').slice(1);
    const answered = lines.map((line) => line.replace('#', '')).join('\n');
    expect(parse(FILE + answered).dialect).toEqual(found.dialect);
    expect(withQuestions(text, ['Which other?'])).not.toContain('It found');
  });
});

function parse(text: string) {
  return parseConfig({ path: '/home/config/c.yaml', text, env: { K: 'k' } });
}
