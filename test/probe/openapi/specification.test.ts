import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Finding } from '../../../src/probe/exchange.ts';
import { readSpecification, type Specification } from '../../../src/probe/openapi/specification.ts';

const FOLDER = new URL('./documents/', import.meta.url);

/** The values that a person would find in each document. A key is missing if the document does not state its value. */
const TRUTH: Readonly<Record<string, Truth>> = {
  'ares.yaml': {
    addresses: {
      search: '/ekonomicke-subjekty-v-be/rest/ekonomicke-subjekty',
      entity: '/ekonomicke-subjekty-v-be/rest/ekonomicke-subjekty/{id}',
      stats: '/ekonomicke-subjekty-v-be/rest/ekonomicke-subjekty/statistika',
    },
    queryParam: 'obchodniJmeno',
    minLength: 3,
    identifierParam: 'ico',
    sizeParam: 'pocet',
    maxSize: 1000,
    pageParam: 'start',
  },
  'brreg.yaml': {
    addresses: {
      search: '/enhetsregisteret/api/enheter',
      entity: '/enhetsregisteret/api/enheter/{id}',
      stats: '/api/registry/stats',
    },
    queryParam: 'navn',
    identifierParam: 'organisasjonsnummer',
    sizeParam: 'size',
    pageParam: 'page',
  },
  'companies_house.yaml': {
    addresses: {
      search: '/search/companies',
      entity: '/company/{id}',
      stats: '/api/registry/stats',
    },
    keyHeader: 'Authorization: Basic {key:basic}',
    queryParam: 'q',
    sizeParam: 'items_per_page',
    pageParam: 'start_index',
  },
  'fastapi.yaml': {
    addresses: {
      search: '/api/search?country=EE',
      entity: '/api/entity/{id}?format=full',
      stats: '/api/registry/stats',
    },
    keyHeader: 'Authorization: Bearer {key}',
    queryParam: 'query',
    minLength: 2,
    sizeParam: 'limit',
    maxSize: 250,
    pageParam: 'cursor',
  },
  'france.yaml': {
    addresses: { search: '/search', entity: '/api/entity/{id}', stats: '/api/registry/stats' },
    queryParam: 'q',
    sizeParam: 'per_page',
    maxSize: 25,
    pageParam: 'page',
  },
  'gleif.yaml': {
    addresses: {
      search: '/api/v1/lei-records',
      entity: '/api/v1/lei-records/{id}',
      stats: '/api/registry/stats',
    },
    queryParam: 'filter[entity.legalName]',
    identifierParam: 'filter[lei]',
    sizeParam: 'page[size]',
    maxSize: 200,
    pageParam: 'page[number]',
  },
  'kvk.yaml': {
    addresses: {
      search: '/api/v2/zoeken',
      entity: '/api/v1/basisprofielen/{id}',
      stats: '/api/registry/stats',
    },
    keyHeader: 'apikey',
    queryParam: 'naam',
    identifierParam: 'kvkNummer',
    sizeParam: 'resultatenPerPagina',
    maxSize: 100,
    pageParam: 'pagina',
  },
  'opencorporates.yaml': {
    addresses: { search: '/v0.4/companies/search', entity: '/api/entity/{id}', stats: '/api/registry/stats' },
    queryParam: 'q',
    sizeParam: 'per_page',
    pageParam: 'page',
  },
  'prh.json': {
    addresses: { search: '/bis/v1/', entity: '/bis/v1/{id}', stats: '/api/registry/stats' },
    queryParam: 'name',
    identifierParam: 'businessId',
    sizeParam: 'maxResults',
    maxSize: 1000,
    pageParam: 'resultsFrom',
  },
  'sirene.yaml': {
    addresses: {
      search: '/api-sirene/3.11/siren',
      entity: '/api-sirene/3.11/siren/{id}',
      stats: '/api/registry/stats',
    },
    keyHeader: 'X-Registry-Api-Key',
    queryParam: 'q',
    sizeParam: 'nombre',
    pageParam: 'curseur',
  },
};

type Truth = { readonly [Key in keyof Specification]?: unknown } & {
  readonly addresses?: NonNullable<Specification['addresses']['value']>;
};

test.each(readdirSync(FOLDER))(
  'the document %s yields the paths and parameters that a person would write',
  (file) => {
    const specification = specificationOf(file);
    const truth = TRUTH[file] ?? {};
    const grades = gradesOf(specification, { ...truth, recordPath: truth.addresses?.entity });
    const of = (grade: string) => [...grades].filter(([, found]) => found === grade).map(([key]) => key);
    expect({ open: of('open'), wrong: of('wrong'), 'wrong while sure': of('wrong while sure') }).toEqual({
      open: [],
      wrong: [],
      'wrong while sure': [],
    });
  },
);

function specificationOf(file: string): Specification {
  const parsed = parse(readFileSync(new URL(file, FOLDER), 'utf8'));
  const specification = readSpecification(parsed, 'https://registry.example/api');
  if (specification === null) throw new Error(`${file} is not an OpenAPI document`);
  return specification;
}

function gradesOf(specification: Specification, truth: Truth): Map<string, string> {
  const findings = Object.entries(specification).filter(
    (entry): entry is [keyof Specification & string, Finding] =>
      typeof entry[1] === 'object' && 'certainty' in entry[1],
  );
  return new Map(
    findings.map(([key, { value, certainty }]) => {
      const isRight = JSON.stringify(value) === JSON.stringify(truth[key] ?? null);
      if (isRight) return [key, 'right'];
      return [key, certainty === 'open' ? 'open' : certainty === 'sure' ? 'wrong while sure' : 'wrong'];
    }),
  );
}

test("a search's fixed parameters are not mistaken for its query parameter", () => {
  expect(specificationOf('fastapi.yaml').extra).toEqual({ country: 'EE' });
});

test.each([null, [], 'text', {}, { openapi: '3.1.0' }, { paths: {} }])(
  '%j is not accepted as an OpenAPI document',
  (parsed) => {
    expect(readSpecification(parsed, 'https://registry.example')).toBeNull();
  },
);

test.each([
  ['api_key', 'likely'],
  ['X-Api-Key', 'sure'],
])('the key header %s in a document is %s', (name, certainty) => {
  const security = { key: { type: 'apiKey', in: 'header', name } };
  const document = { swagger: '2.0', paths: {}, securityDefinitions: security };
  expect(readSpecification(document, 'https://x.example')?.keyHeader).toMatchObject({
    value: name,
    certainty,
  });
});

test('a document with broken, external and circular references can be read', () => {
  const paths = {
    '/search': {
      get: {
        parameters: [{ $ref: 'other.yaml#/q' }, { $ref: '#/components/parameters/none' }, 5, null],
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Loop' } } } },
        },
      },
    },
    '/company/{id}': { $ref: '#/paths/~1company~1{id}' },
    '/broken': null,
  };
  const schemas = {
    Loop: { allOf: [{ $ref: '#/components/schemas/Loop' }], properties: { a: { $ref: '#' } } },
  };
  const specification = readSpecification(
    { openapi: '3.0.0', paths, components: { schemas } },
    'https://x.example',
  );
  expect(specification).toMatchObject({ queryParam: { certainty: 'open' } });
});
