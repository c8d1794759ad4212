import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import type { Param, ProbeExchange, ProbeRequest } from '../../src/probe/exchange.ts';
import { probedWith } from '../support/probed_api.ts';

/** A small registry whose API refuses unknown parameters and reports only the first mistake in a request. */
interface StrictApi {
  /** Two companies for each of these words. */
  readonly words: readonly string[];
  readonly rule: 'token' | 'token_prefix' | 'substring';
  readonly minLength: number;
  readonly companion?: string;
  readonly identifierParam?: string;
  readonly sizeParam?: string;
  readonly pageSize: number;
  readonly listsParams?: boolean;
}

const QUERY_PARAM = 'needle';

function probed(api: StrictApi) {
  return probedWith((request) => replyOf(api, request));
}

function replyOf(
  api: StrictApi,
  { kind, path, params }: ProbeRequest,
): Pick<ProbeExchange, 'status' | 'json'> {
  const companies = companiesOf(api);
  if (kind === 'stats') return { status: 200, json: { companies: { total: companies.length } } };
  if (kind === 'entity') {
    const company = companies.find(({ id }) => path.endsWith(`/${id}`));
    return company === undefined ? { status: 404, json: {} } : { status: 200, json: company as Json };
  }
  const mistake = mistakeIn(api, params);
  if (mistake !== null) return { status: 400, json: { message: mistake } };
  const sent = new Map(params);
  const query = (sent.get(QUERY_PARAM) ?? '').toLowerCase();
  const id = sent.get(api.identifierParam ?? '');
  const found = companies.filter((company) => {
    const name = company.name.toLowerCase();
    if (id !== undefined) return company.id.startsWith(id);
    return api.rule === 'substring'
      ? name.includes(query)
      : new RegExp(`\\b${query}${api.rule === 'token' ? '\\b' : ''}`).test(name);
  });
  const size = Number(sent.get(api.sizeParam ?? '') ?? api.pageSize);
  return { status: 200, json: { total: found.length, results: found.slice(0, size) as Json[] } };
}

function companiesOf({ words }: StrictApi) {
  const names = words.flatMap((word) => [`${word} Trading Limited`, `Bay ${word} Limited`]);
  return names.map((name, index) => ({ id: `0000${100 + index}`, name }));
}

function mistakeIn(api: StrictApi, params: readonly Param[]): string | null {
  const { companion, identifierParam, sizeParam, listsParams, minLength } = api;
  const known = [QUERY_PARAM, companion, identifierParam, sizeParam].filter((name) => name !== undefined);
  const sent = new Map(params);
  const query = sent.get(QUERY_PARAM);
  if (query === undefined && !sent.has(identifierParam ?? ''))
    return `Parameter '${QUERY_PARAM}' is missing.`;
  if (companion !== undefined && sent.get(companion) !== 'NL')
    return `Parameter '${companion}' is missing. Allowed values: NL.`;
  const unknown = params.find(([name]) => !known.includes(name))?.[0];
  if (unknown !== undefined)
    return `Unknown parameter '${unknown}'.${listsParams ? ` Allowed parameters: ${known.join(', ')}.` : ''}`;
  if (query !== undefined && query.length < minLength)
    return `Please enter at least ${minLength} characters.`;
  if (Number(sent.get(sizeParam ?? '') ?? 1) > 50) return `${sizeParam} must be at most 50.`;
  return null;
}

const WORDS = 'Moss Holt Dorn Combs Stone Brook Lodge Norwood'.split(' ');
const PLAIN: StrictApi = { words: WORDS, rule: 'token_prefix', minLength: 3, pageSize: 50 };

describe('probing a small registry that refuses unknown parameters', () => {
  it.each([
    ['Japanese', '株式会社'],
    ['Korean', '주식회사'],
    ['Russian', 'ООО '],
    ['Ukrainian', 'ТОВ '],
  ])('a probe recognises a registry with only %s names', (_, legalForm) => {
    const companies = [...'山東大北鈴電化'].map((name, index) => ({
      id: `${100 + index}`,
      name: `${legalForm}${name}`,
    }));
    const { search } = probedWith(({ kind, path, params }) => {
      if (kind === 'stats') return { status: 200, json: { companies: companies.length } };
      const company = companies.find(({ id }) => path.endsWith(`/${id}`));
      if (kind === 'entity') return { status: company === undefined ? 404 : 200, json: company ?? {} };
      const query = new Map(params).get(QUERY_PARAM);
      if (query === undefined || params.length > 1)
        return { status: 400, json: { message: `Parameter '${QUERY_PARAM}' is missing.` } };
      return {
        status: 200,
        json: { results: companies.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase())) },
      };
    });
    expect(search?.known).toHaveLength(companies.length);
  });

  it('a probe sends legal forms in the language of the messages', () => {
    const names = ['Birken GmbH', 'Isar GmbH', 'Quell GmbH'];
    const { search } = probedWith(({ kind, params }) => {
      if (kind === 'stats') return { status: 200, json: { companies: names.length } };
      if (kind === 'entity') return { status: 404, json: {} };
      const query = new Map(params).get('Firma');
      if (query === undefined || params.length > 1)
        return { status: 400, json: { errors: { Firma: ['Das Feld Firma muss ausgefüllt werden.'] } } };
      const isWord = (name: string) => name.toLowerCase().split(' ').includes(query);
      const rows = names.map((name, index) => ({ id: `10${index}`, name }));
      return { status: 200, json: { results: rows.filter(({ name }) => isWord(name)) } };
    });
    expect(search?.known.map(({ name }) => name)).toEqual(names);
  });

  it('a probe recognises a small registry that requires a constant parameter', () => {
    const { constants, search } = probed({ ...PLAIN, companion: 'country' });
    expect(constants).toEqual([['country', 'NL']]);
    expect(search?.record.certainty).toBe('sure');
  });

  it("if a page is truncated, a probe requests the page size that the registry's messages state", () => {
    const { search } = probed({ ...PLAIN, sizeParam: 'aantal', pageSize: 5, listsParams: true });
    expect(search?.size.param.value).toBe('aantal');
    expect(search?.size.maxSize.value.rows).toBe(50);
  });

  it('a probe reads the pages of a listing from parameters at the end of the body', () => {
    const rows = Array.from({ length: 90 }, (_, index) => ({
      id: `${1000 + index}`,
      name: `Firm ${index} Limited`,
    }));
    const { search, fullListing, questions } = probedWith(({ kind, path, params }) => {
      if (kind === 'stats') return { status: 404, json: {} };
      const company = rows.find(({ id }) => path.endsWith(`/${id}`));
      if (kind === 'entity') return { status: company === undefined ? 404 : 200, json: company ?? {} };
      const unknown = params.find(([name]) => name !== 'limit' && name !== 'offset')?.[0];
      if (unknown !== undefined) return { status: 400, json: { message: `Unknown parameter '${unknown}'.` } };
      const sent = new Map(params);
      const offset = Number(sent.get('offset') ?? 0);
      const page = rows.slice(offset, offset + Math.min(Number(sent.get('limit') ?? 60), 60));
      return { status: 200, json: { results: page, count: rows.length, query: { limit: 60, offset } } };
    });
    expect(fullListing.value).toBe(true);
    expect(search?.paging.value).toMatchObject({ style: 'offset', param: 'offset', first: 0 });
    expect(questions).toEqual([]);
  });

  it('if every plain word is refused, the question shows an expression and the error', () => {
    const { questions } = probedWith(({ kind, params }) => {
      if (kind === 'stats') return { status: 404, json: {} };
      const text = new Map(params).get('q');
      const message = text === undefined ? 'Pass a statement.' : `Unexpected token '${text}'.`;
      return { status: 400, json: { message } };
    });
    const [question] = questions;
    expect(question?.text).toContain('--query-param "q=name:{query}"');
    expect(question?.text).toContain('"Pass a statement."');
    expect(question?.text).toContain('"Unexpected token');
  });
});

it('if names had no effect, each with its own query, a probe does not send them in this way again', () => {
  const rows = Array.from({ length: 90 }, (_, index) => ({
    id: `${1000 + index}`,
    name: `DOANH Firm${index} co as sa and`,
  }));
  const { searches } = probedWith(({ kind, path }) => {
    if (kind === 'stats') return { status: 404, json: {} };
    const company = rows.find(({ id }) => path.endsWith(`/${id}`));
    if (kind === 'entity') return { status: company === undefined ? 404 : 200, json: company ?? {} };
    return { status: 200, json: { results: rows.slice(0, 20), total: rows.length } };
  });
  const firsts = searches
    .filter(({ why }) => why === 'which parameter takes the query? (each has its own query)')
    .map(({ params }) => params.map(([name]) => name));
  expect(firsts.length).toBeGreaterThan(0);
  firsts.forEach(([name = ''], index) => {
    expect(firsts.slice(0, index).flat()).not.toContain(name);
  });
});

describe('an API whose errors list all unknown parameters of a request', () => {
  const KNOWN = ['naam', 'plaats', 'pagina', 'resultatenPerPagina'];
  const companies = Array.from({ length: 120 }, (_, index) => ({
    nummer: `${40_000_000 + index * 7}`,
    naam: `${['Holding', 'Transport', 'Makelaardij'][index % 3]} ${['Schelphoek', 'Noorddam', 'Bergoord', 'Lindeveld'][index % 4]} ${index}`,
  }));
  const refused = (names: readonly string[]) => ({
    status: 400,
    json: {
      fout: [{ omschrijving: `De volgende opgegeven parameters zijn ongeldig: ${names.join(', ')}` }],
    },
  });
  const probedInDutch = () =>
    probedWith(
      ({ kind, path, params }) => {
        const company = companies.find(({ nummer }) => path.endsWith(`/${nummer}`));
        if (kind === 'entity') return { status: company === undefined ? 404 : 200, json: company ?? {} };
        const sent = new Map(params);
        const size = Number(sent.get('resultatenPerPagina') ?? 10);
        const unknown = params.map(([name]) => name).filter((name) => !KNOWN.includes(name));
        if (unknown.length > 0) return refused(unknown);
        if (size > 100) return refused(['resultatenPerPagina']);
        const query = sent.get('naam')?.toLowerCase();
        if (query === undefined)
          return { status: 400, json: { fout: [{ omschrijving: 'Algemene invoer parameter fout.' }] } };
        const found = companies.filter(({ naam }) =>
          naam
            .toLowerCase()
            .split(' ')
            .some((word) => word.startsWith(query)),
        );
        if (found.length === 0)
          return { status: 404, json: { fout: [{ omschrijving: 'Geen gegevens gevonden.' }] } };
        const page = Number(sent.get('pagina') ?? 1);
        const resultaten = found.slice((page - 1) * size, page * size);
        const volgende = `https://r.example/zoeken?naam=${query}&pagina=${page + 1}`;
        const hasNext = page * size < found.length;
        return {
          status: 200,
          json: {
            resultatenPerPagina: size,
            totaal: found.length,
            ...(hasNext ? { volgende } : {}),
            resultaten,
          },
        };
      },
      { search: '/zoeken', entity: '/bedrijven/{id}' },
    );

  it('the parameters that an error does not list are tried first', () => {
    expect(probedInDutch().query).toMatchObject({
      certainty: 'sure',
      value: { param: 'naam', template: '{query}' },
    });
  });

  it('a page size parameter that was refused with a large number is tried with a smaller one', () => {
    expect(probedInDutch().search?.size.param.value).toBe('resultatenPerPagina');
  });

  it('a query for a part of a known name that finds nothing refutes the rule', () => {
    expect(probedInDutch().search?.rule.value).toBe('token_prefix');
  });
});
