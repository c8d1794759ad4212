import { describe, expect, it } from 'vitest';
import { textAt } from '../../src/dialect/body_values.ts';
import { findResultList, itemOf, nameCandidates, nameFallbacks } from '../../src/probe/rows.ts';
import { row, searchExchange } from '../support/probe_exchanges.ts';

const WORDS = ['Amber', 'Birch', 'Cedar', 'Dover', 'Ember', 'Flint', 'Grove', 'Heath'];

describe('the list of results', () => {
  it.each<[string, object, string, string]>([
    ['at the top', [row(1), row(2)], '', ''],
    [
      'in nested objects',
      { meta: { total: 2 }, _embedded: { rows: [row(1), row(2)] } },
      '/_embedded/rows',
      '',
    ],
    [
      'with wrapped rows',
      { results: { companies: [{ company: row(1) }, { company: row(2) }] } },
      '/results/companies',
      '/company',
    ],
    [
      'with a score beside each company',
      {
        hits: [
          { _score: 1.5, _source: row(1) },
          { _score: 1, _source: row(2) },
        ],
      },
      '/hits',
      '/_source',
    ],
    ['beside facets', { facets: [{ value: 'GB', count: 3 }], items: [row(1), row(2)] }, '/items', ''],
    [
      'in an object that also has facets',
      { documents: { '08343901': row(1), '08343902': row(2), facets: {}, order: ['08343901'] } },
      '/documents/{id}',
      '',
    ],
    ['in one group', { zones: [{ name: 'companies', found: [row(1), row(2)] }] }, '/zones/*/found', ''],
    [
      'in several groups',
      {
        groups: [
          { kind: 'LLC', rows: [row(1)] },
          { kind: 'PLC', rows: [row(2), row(3)] },
        ],
      },
      '/groups/*/rows',
      '',
    ],
    [
      'with a list in each company',
      { items: [1, 2].map((id) => ({ ...row(id), shops: [row(8), row(9)].map((shop) => ({ shop })) })) },
      '/items',
      '',
    ],
  ])('the list of results is found %s', (_where, body, results, item) => {
    const listing = findResultList([searchExchange(body)], null);
    expect(listing?.results).toBe(results);
    const [id] = listing?.ids ?? [];
    const [name] = listing?.names ?? [];
    expect(itemOf(listing?.rows ?? [], id?.pointer ?? '', name?.pointer ?? null)).toBe(item);
    expect(id?.pointer).toBe(`${item}/company_number`);
    expect(name?.pointer).toBe(`${item}/title`);
  });
});

describe('results of other forms', () => {
  it('the values of an object are the results if each has its key as the id', () => {
    const keyed = (...ids: string[]) =>
      searchExchange({
        ok: true,
        records: Object.fromEntries(ids.map((id) => [id, { nif: id, title: `Acme ${id} Lda` }])),
      });
    const listing = findResultList([keyed('A51', 'A52'), keyed('A53', 'A54', 'A55')], null);
    expect(listing?.results).toBe('/records/{id}');
    expect([listing?.ids[0]?.pointer, listing?.names[0]?.pointer]).toEqual(['/nif', '/title']);
    expect(listing?.rows).toHaveLength(5);
  });

  it('a self link is the id of rows without another one', () => {
    const linked = (id: number) => ({
      name: `Acme ${id} Ltd`,
      _links: { self: { href: `http://host/companies/${id}` } },
    });
    const listing = findResultList([searchExchange({ items: [linked(1), linked(2), linked(7)] })], null);
    expect(listing?.ids.map(({ pointer }) => pointer)).toContain('/_links/self/href');
  });

  it('an object in place of the list is its only result', () => {
    const pages = [{ items: { item: [row(1), row(2)] } }, { items: { item: row(3) } }, { items: '' }];
    expect(
      findResultList(
        pages.map((page) => searchExchange(page)),
        null,
      )?.rows,
    ).toHaveLength(3);
  });
});

describe('the paths of id and name', () => {
  it.each<[string, (word: string, at: number) => object, string | null, string, string]>([
    ['lists of one', (word, at) => ({ ref: [`R${at}`], label: [`${word} Ltd`] }), null, '/ref', '/label'],
    [
      'attributes',
      (word, at) => ({
        cells: [
          { name: 'rank', value: '7' },
          { name: 'code', value: `R${at}` },
          { name: 'title', value: `${word} Ltd` },
        ],
      }),
      null,
      '/cells/[name=code]/value',
      '/cells/[name=title]/value',
    ],
    [
      'one of several names of a company',
      (word, at) => ({ company_id: `R${at >> 1}`, name: at % 8 === 3 ? `Shop ${word}` : WORDS[at & ~1] }),
      null,
      '/company_id',
      '/name',
    ],
    [
      'two values, as parts of the path',
      (word, at) => ({ number: 70 + at, kind: 'BC'[at % 2], title: `${word} Ltd` }),
      'https://host/company/{id:path}',
      '{/number}/{/kind}',
      '/title',
    ],
    [
      'URLs whose last segment the path takes',
      (word) => ({ resource: `https://host/${word}`, rank: 1, title: `${word} Ltd` }),
      'https://host/data/{id:last}.json',
      '/resource',
      '/title',
    ],
  ])('id and name are found in %s', (_form, toRow, recordPath, id, name) => {
    const listing = findResultList([searchExchange({ rows: WORDS.map(toRow) })], recordPath);
    expect(listing?.names[0]?.pointer).toBe(name);
    expect(listing?.ids.slice(0, 2).map(({ pointer }) => pointer)).toContain(id);
  });

  it('rows without a name have theirs at other paths, and its parts are next to each other', () => {
    const company = (id: number) => ({
      id,
      type: 'company',
      title: `Acme ${id} Ltd`,
      person: null,
      city: 'Bern',
    });
    const person = (id: number, first: string, last: string) => ({
      id,
      type: 'person',
      title: null,
      person: { born: '1970-01-01', first_name: first, family: last },
      city: 'Basel',
    });
    const rows = [
      company(1),
      person(2, 'Ann', 'Lee'),
      company(3),
      person(4, 'Bob', 'Lee'),
      person(5, 'Eve', 'Roy'),
    ];
    const parts = ['/person/first_name', '/person/family'];
    expect(nameFallbacks(rows, '/title', [])).toEqual([parts]);
    expect(nameFallbacks(rows.slice(0, 3), '/title', [])).toEqual([]);
  });

  it("the parts of a person's name are in the order in which they are written, and each is taken once", () => {
    const person = (lastName: string, firstName: string, usualFirstName = firstName) => ({
      name: null,
      lastName,
      firstName,
      usualFirstName,
    });
    const rows = [
      { name: 'Acme Ltd' },
      person('Lee', 'Ann'),
      person('Roy', 'Eve'),
      person('Ray', 'Bob', 'Rob'),
    ];
    expect(nameFallbacks(rows, '/name', [])).toEqual([['/firstName', '/lastName']]);
  });

  it('a key that means nothing holds the name if its text matches every query', () => {
    const rows = [
      { id: 1, name: 'Acme Ltd' },
      { id: 2, pavarde: 'Kazlauskas', miestas: 'Vilnius' },
      { id: 3, pavarde: 'Kazlauskiene', miestas: 'Kaunas' },
    ];
    expect(nameFallbacks(rows, '/name', [{ query: 'kazl', rows: rows.slice(1) }])).toEqual([['/pavarde']]);
    expect(nameFallbacks(rows, '/name', [])).toEqual([]);
  });

  it("a person's name can be in the list element that has the name of companies, and beside the list", () => {
    const row = (denomination: string | null, nom: string | null, prenom1: string | null) => ({
      prenom1,
      periods: [{ end: null, denomination, nom }],
    });
    const rows = [row('ACME', null, null), row(null, 'Petit', 'Jean'), row(null, 'Leroy', 'Anne')];
    const parts = ['/prenom1', '/periods/[end=null]/nom'];
    expect(nameFallbacks(rows, '/periods/[end=null]/denomination', [])).toEqual([parts]);
  });

  it('a person can have a list of given names, and all persons on a page the family name in the query', () => {
    const person = (prenoms: string[]) => ({ person: { nom: 'Marchand', prenoms } });
    const rows = [
      { name: 'Acme Ltd' },
      { name: 'Marchand SARL' },
      person(['Anne', 'Lou']),
      person(['Paul', 'Max']),
    ];
    const page = { query: 'march', rows: rows.slice(1) };
    expect(nameFallbacks(rows, '/name', [page])).toEqual([['/person/prenoms/0', '/person/nom']]);
    expect(nameFallbacks(rows, '/name', [])).toEqual([]);
  });

  it('a name in another language can be in a list', () => {
    const rows = [
      { nameEl: 'ΟΜΗΡΟΣ Α.Ε.', namesEn: ['Homer', 'Homer SA'] },
      { nameEl: null, namesEn: ['Ithaca SA'] },
    ];
    expect(nameFallbacks(rows, '/nameEl', [])).toEqual([['/namesEn']]);
  });

  it('half of the rows can have the name under another key', () => {
    const rows = WORDS.map((word, id) =>
      id % 2 === 0 ? { id, firm: { denomination: `${word} SA` } } : { id, person: { nom: word } },
    );
    expect(nameCandidates(rows)[0]?.pointer).toBe('/firm/denomination');
  });

  it.each(['value', 'Value'])('an attribute can have null as its %s', (key) => {
    const rows = WORDS.map((word, id) => ({
      id,
      fields: [
        { name: id === 5 ? 'former' : 'title', [key]: `${word} Ltd` },
        { name: 'note', [key]: null },
      ],
    }));
    expect(nameCandidates(rows)[0]?.pointer).toBe(`/fields/[name=title]/${key}`);
  });

  it('the path to a name in a list of one also reads a single object', () => {
    const rows = WORDS.map((word, id) => ({ id, status: 'AC', names: [{ value: `${word} Ltd` }] }));
    const pointer = nameCandidates(rows)[0]?.pointer ?? '';
    expect(textAt({ names: [{ value: 'Amber Ltd' }] }, pointer)).toBe('Amber Ltd');
    expect(textAt({ names: { value: 'Birch Ltd' } }, pointer)).toBe('Birch Ltd');
  });

  it('rows without a name have it in another field, or are persons, even if named rows have these fields too', () => {
    const people = ['Jan Visser', 'Anouk Smit', 'Piet Bakker'].map((one) => one.split(' '));
    const inChinese = WORDS.map((word, id) => ({
      id,
      English_Name: id % 3 === 0 ? '' : `${word} Limited`,
      Chinese_Name: `${String.fromCodePoint(0x4e2d + id)}國有限公司`,
      Former_Name: `${word} Ltd`,
    }));
    expect(nameFallbacks(inChinese, '/English_Name', [])).toEqual([['/Chinese_Name']]);
    const contacts = WORDS.map((word, id) => {
      const [firstname = '', lastname = ''] = people[Math.floor(id / 3) % 3] ?? [];
      return { id, company_name: id % 3 === 0 ? '' : word, firstname, lastname: `${lastname} ${word}` };
    });
    expect(nameFallbacks(contacts, '/company_name', [])).toEqual([['/firstname', '/lastname']]);
  });

  it('of a list of names, the name has no end date, and the most recent one is the fallback', () => {
    const since = '2009-04-01';
    const former = (value: string) => ({ value, since: '1991-05-01', until: '2009-03-31' });
    const rows = WORDS.map((word, id) => ({
      id,
      names: [
        ...(id % 3 === 0 ? [former(`Old ${word} Ltd`)] : []),
        { value: `${word} Ltd`, since, ...(id % 4 === 1 ? { until: '2021-12-31' } : {}) },
      ],
    }));
    const name = '/names/[until=null]/value';
    expect(nameCandidates(rows)[0]?.pointer).toBe(name);
    expect(nameFallbacks(rows, name, [])).toEqual([['/names/[last]/value']]);
    const latestFirst = rows.map(({ id, names }) => ({ id, names: names.toReversed() }));
    expect(nameFallbacks(latestFirst, name, [])).toEqual([['/names/[0]/value']]);
  });

  it('a name in other languages is a fallback, the most frequent language first', () => {
    const rows = [
      { id: 'A1', status: 'AC', name: { fr: 'Boulangerie', nl: 'Bakkerij' } },
      ...['Slager', 'Visser', 'Molen'].map((nl, at) => ({ id: `B${at}`, status: 'AC', name: { nl } })),
      { id: 'C1', status: 'AC', name: { de: 'Metzger' } },
    ];
    expect(nameFallbacks(rows, '/name/fr', [])).toEqual([['/name/nl'], ['/name/de'], ['/name/*']]);
    expect(nameFallbacks([{ id: 1, name: { fr: 'Boulangerie' } }], '/name/fr', [])).toEqual([['/name/*']]);
    const inKeys = [
      { id: 1, name_fi: 'Oy' },
      { id: 2, name_sv: 'Ab' },
      { id: 3, name_sv: 'Aktiebolag' },
    ];
    expect(nameFallbacks(inKeys, '/name_fi', [])).toEqual([['/name_sv']]);
    const inWords = [
      { id: 1, English_Company_Name: 'Harbour Limited', Chinese_Company_Name: '海港有限公司' },
    ];
    expect(nameFallbacks(inWords, '/English_Company_Name', [])).toEqual([['/Chinese_Company_Name']]);
  });

  it('the paths of id and name are found at any depth, even beside other names and constant numbers', () => {
    const record = (id: string, legalName: string) => ({
      type: 'lei-records',
      id,
      attributes: {
        lei: id,
        entity: { legalName: { name: legalName, language: 'sv' }, jurisdiction: 'SE', status: 'ACTIVE' },
        registration: { managingLou: '5493' },
      },
    });
    const listing = findResultList(
      [searchExchange({ data: [record('A1', 'Kommstart 174 AB'), record('B2', 'Volvo Car AB')] })],
      null,
    );
    expect(listing?.names[0]?.pointer).toBe('/attributes/entity/legalName/name');
    expect(listing?.ids[0]?.pointer).toBe('/id');
  });

  it('an id that counts from 1 is an id, and comes before another number that does', () => {
    const rows = [1, 2, 3].map((n) => ({ id: n, rank: n, navn: `Company ${n} A/S` }));
    const ids = findResultList([searchExchange({ rows })], null)?.ids.map(({ pointer }) => pointer);
    expect(ids).toEqual(['/id', '/navn', '/rank']);
  });

  it("an id's path is found if the id is the last segment of a URL in the row", () => {
    const rows = [1, 2, 3].map((n) => ({
      code: `X${n}`,
      ref: `R-${n}`,
      name: `Company ${n} Ltd`,
      href: `/company/R-${n}`,
    }));
    expect(findResultList([searchExchange({ rows })], null)?.ids[0]?.pointer).toBe('/ref');
  });
});
