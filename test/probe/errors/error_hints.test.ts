import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/json/json.ts';
import { errorHintsOf } from '../../../src/probe/errors/error_hints.ts';
import type { Exchange, Param } from '../../../src/probe/evidence.ts';

/** An error response to a search with the given parameters. */
function refusal(body: unknown, params: readonly Param[] = [['foo', 'co']]): Exchange {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = { kind: 'search', path: '/api/search', params, why: '' } as const;
  const json = typeof body === 'string' ? undefined : parseJson(text);
  return { request, status: 400, headers: {}, json, text, reading: 'refused' };
}

describe('error hints', () => {
  it('a parameter named search or query is recognised as missing', () => {
    for (const name of ['search', 'query']) {
      expect(errorHintsOf([refusal({ detail: `The parameter ${name} is missing.` })]).required).toEqual([
        name,
      ]);
      expect(errorHintsOf([refusal({ detail: `'${name}' is required` })]).required).toEqual([name]);
    }
  });

  it('a number with thousands separators is no range of query lengths', () => {
    for (const number of ['2,503', '2.503']) {
      const body = { message: `The query matches too many companies (${number}).` };
      expect(errorHintsOf([refusal(body, [['query', 'a']])]).minQueryLength).toBeNull();
    }
  });

  it('a min query length does not mean that a parameter named query is required', () => {
    const body = { detail: 'The query must have at least 3 characters.' };
    const hints = errorHintsOf([refusal(body, [['query', 'co']])]);
    expect([hints.required, hints.minQueryLength]).toEqual([[], 3]);
  });

  it('a message that a parameter is missing or unknown refuses unknown parameters only if many were guessed', () => {
    const body = { title: 'A parameter is missing, unknown or out of range.' };
    const guesses = ['q', 'query', 'name', 'term', 'text', 'firma'].map((name): Param => [name, 'co']);
    expect(errorHintsOf([refusal(body)]).refusesUnknown).toBe(false);
    expect(errorHintsOf([refusal(body, guesses)]).refusesUnknown).toBe(true);
  });

  it.each([
    [
      'RFC 9457',
      {
        type: 'about:blank',
        title: 'Bad Request',
        status: 400,
        detail: "Parameter 'zoekterm' is missing.",
        instance: '/api/search',
      },
      'zoekterm',
    ],
    [
      'RFC 9457 with pointers',
      { title: 'Invalid', errors: [{ detail: 'must be present', pointer: '#/zoekterm' }] },
      'zoekterm',
    ],
    [
      'RFC 7807 with invalid-params',
      { title: 'Invalid', 'invalid-params': [{ name: 'firmnavn', reason: 'is required' }] },
      'firmnavn',
    ],
    ['JSON:API', { errors: [{ status: '400', title: 'filter[fulltext] is required' }] }, 'filter[fulltext]'],
    [
      'JSON:API with a source',
      {
        errors: [
          {
            status: '400',
            title: 'Missing parameter',
            detail: 'This parameter is required.',
            source: { parameter: 'filter[fulltext]' },
          },
        ],
      },
      'filter[fulltext]',
    ],
    [
      'Spring',
      {
        timestamp: '2026-03-01',
        status: 400,
        error: 'Bad Request',
        message: "Required request parameter 'suchwort' for method parameter type String is not present",
        path: '/api/search',
      },
      'suchwort',
    ],
    [
      'Spring with errors',
      {
        status: 400,
        errors: [{ field: 'suchwort', defaultMessage: 'must not be blank', rejectedValue: null }],
      },
      'suchwort',
    ],
    [
      'Laravel',
      {
        message: 'The zoekterm field is required.',
        errors: { zoekterm: ['The zoekterm field is required.'] },
      },
      'zoekterm',
    ],
    [
      'FastAPI',
      { detail: [{ type: 'missing', loc: ['query', 'hakusana'], msg: 'Field required', input: null }] },
      'hakusana',
    ],
    [
      '.NET',
      {
        title: 'One or more validation errors occurred.',
        status: 400,
        errors: { Zoekterm: ['The Zoekterm field is required.'] },
      },
      'Zoekterm',
    ],
    [
      'zod',
      {
        success: false,
        error: {
          issues: [
            {
              code: 'invalid_type',
              expected: 'string',
              received: 'undefined',
              path: ['lookup'],
              message: 'Required',
            },
          ],
        },
      },
      'lookup',
    ],
    ['zod, flattened', { formErrors: [], fieldErrors: { lookup: ['Required'] } }, 'lookup'],
    [
      'ajv',
      [
        {
          instancePath: '',
          keyword: 'required',
          params: { missingProperty: 'lookup' },
          message: "must have required property 'lookup'",
        },
      ],
      'lookup',
    ],
    [
      'fastify',
      {
        statusCode: 400,
        code: 'FST_ERR_VALIDATION',
        error: 'Bad Request',
        message: "querystring must have required property 'lookup'",
      },
      'lookup',
    ],
    [
      'class-validator',
      {
        statusCode: 400,
        message: ['lookupName should not be empty', 'lookupName must be a string'],
        error: 'Bad Request',
      },
      'lookupName',
    ],
    [
      'class-validator objects',
      [{ property: 'lookup', constraints: { isNotEmpty: 'lookup should not be empty' } }],
      'lookup',
    ],
    ['Django', { lookup: ['This field is required.'] }, 'lookup'],
    [
      'XML',
      '<?xml version="1.0"?><error><code>400</code><parameter>szukana</parameter><message>This parameter is required</message></error>',
      'szukana',
    ],
    [
      'HTML',
      '<html><head><title>400</title></head><body><h1>Bad Request</h1><p>The parameter <code>x</code> &quot;szukana&quot; is missing</p></body></html>',
      'szukana',
    ],
    [
      'Laravel with a label',
      {
        message: 'El campo razon social es obligatorio. (y 1 error más)',
        errors: { razon_social: ['El campo razon social es obligatorio.'] },
      },
      'razon_social',
    ],
    [
      'hapi',
      { message: '"lookup" is required', validation: { source: 'query', keys: ['lookup'] } },
      'lookup',
    ],
    ['Play', "For request 'GET /api/search?q=1' [Missing parameter: hakunimi]", 'hakunimi'],
    [
      'a list of names',
      { campos: [{ nome: 'designacao', erro: 'preenchimento obrigatório' }] },
      'designacao',
    ],
    ['a sentence', 'Missing required parameter: szukana', 'szukana'],
    ['a sentence without marks', 'angiv venligst firmanavn', 'firmanavn'],
    ['German', { fehler: 'Der Parameter "suchwort" fehlt.' }, 'suchwort'],
    ['French', { erreur: 'Le paramètre « denomination_sociale » est obligatoire.' }, 'denomination_sociale'],
    ['Spanish', { mensaje: 'El parámetro razon_social es obligatorio' }, 'razon_social'],
    ['Italian', { messaggio: "Il parametro 'ragione' è obbligatorio" }, 'ragione'],
    ['Dutch', { melding: "Parameter 'handelsnaam' is verplicht" }, 'handelsnaam'],
    ['Norwegian', { feilmelding: 'Parameteren «foretaksnavn» må oppgis' }, 'foretaksnavn'],
    ['Danish', { fejl: "Parameteren 'virksomhedsnavn' er påkrævet" }, 'virksomhedsnavn'],
    ['Swedish', { fel: "Parametern 'foretagsnamn' saknas" }, 'foretagsnamn'],
    ['Portuguese', { mensagem: 'O parâmetro "denominação" é obrigatório' }, 'denominação'],
    ['Polish', { komunikat: "Brak wymaganego parametru 'fraza'" }, 'fraza'],
    ['Finnish', { virhe: "Parametri 'hakusana' puuttuu" }, 'hakusana'],
  ])('error hints include a required parameter from an error in the format %s', (_format, body, name) => {
    expect(errorHintsOf([refusal(body)]).required).toEqual([name]);
    expect(errorHintsOf([refusal(body)]).unknown).toEqual([]);
  });

  it.each([
    [
      { detail: "Unknown parameter 'foo'. Allowed parameters: lookup, maxRecords, startRecord." },
      ['lookup', 'maxRecords', 'startRecord'],
    ],
    [{ error: 'unknown_parameter', parameter: 'foo', allowed: ['lookup', 'start'] }, ['lookup', 'start']],
    [
      {
        errors: [
          {
            title: 'Unknown parameter',
            detail: 'foo is not allowed (supported: filter[fulltext], page[number])',
            source: { parameter: 'foo' },
          },
        ],
      },
      ['filter[fulltext]', 'page[number]'],
    ],
    [{ message: 'Invalid query parameter: foo', valid_parameters: ['lookup', 'start'] }, ['lookup', 'start']],
    [
      { fehler: 'Unbekannter Parameter "foo". Erlaubt sind: suchwort, seite, anzahl' },
      ['suchwort', 'seite', 'anzahl'],
    ],
    [
      { erreur: 'Paramètre inconnu : foo. Paramètres autorisés : denomination, debut et taille' },
      ['denomination', 'debut', 'taille'],
    ],
    [{ message: "Unrecognized key(s) in object: 'foo'" }, []],
    [{ message: ['property foo should not exist'] }, []],
    [
      {
        error: {
          name: 'ZodError',
          issues: [{ keys: ['foo'], path: [], message: 'Unrecognized key: "foo". Supported: lookup, start' }],
        },
      },
      ['lookup', 'start'],
    ],
    ["Unknown parameter foo. Did you mean 'lookup'?", ['lookup']],
    [
      'Tjänsten känner inte till parametern foo. Tjänsten förstår endast namnfras, orgnr och sidnummer.',
      ['namnfras', 'orgnr', 'sidnummer'],
    ],
    ['forespørgslen har et ukendt felt: foo (kendte felter: firmanavn, maks)', ['firmanavn', 'maks']],
    ['Onbekende parameter foo; toegestaan zijn: zoekterm, vanaf', ['zoekterm', 'vanaf']],
  ])('error hints include the allowed and the unknown parameters from %j', (body, allowed) => {
    const hints = errorHintsOf([refusal(body)]);
    expect(hints.refusesUnknown).toBe(true);
    expect(hints.allowed).toEqual(allowed);
    expect(hints.required).toEqual([]);
    expect(hints.values.size).toBe(0);
  });

  it.each([
    ['The query must have at least 3 characters.', 3],
    [{ errors: { foo: ['The foo must be at least 4 characters.'] } }, 4],
    [
      {
        detail: [
          { loc: ['query', 'foo'], msg: 'String should have at least 3 characters', ctx: { min_length: 3 } },
        ],
      },
      3,
    ],
    [{ message: ['foo must be longer than or equal to 3 characters'] }, 3],
    ['Der Suchbegriff muss mindestens 3 Zeichen lang sein', 3],
    ['La recherche doit comporter au moins 3 caractères', 3],
    ['La búsqueda debe tener al menos 4 caracteres', 4],
    ['De zoekterm moet minstens 3 tekens bevatten', 3],
    ['Søket må ha minst 3 tegn', 3],
    ['Fraza musi mieć co najmniej 3 znaki', 3],
    ['Hakusanassa on oltava vähintään 3 merkkiä', 3],
    ['minimum length is 2 letters', 2],
    ['querystring/foo must NOT have fewer than 3 characters', 3],
    ['Bad request', null],
  ])('error hints include the min query length from %j', (body, length) => {
    expect(errorHintsOf([refusal(body)]).minQueryLength).toBe(length);
  });

  it.each([
    ['querystring/limit must be <= 100', 100],
    ['The limit may not be greater than 50: at most 50', 50],
    ['size must be between 1 and 200', 200],
    ['Höchstens 100 Treffer', 100],
    [{ errors: [{ field: 'size', message: 'maximum: 250' }] }, 250],
    ['maximaal 100', 100],
    ['Le maximum est 25', 25],
    ['Nothing to read', null],
  ])('error hints include the maximum from %j', (body, maximum) => {
    expect(errorHintsOf([refusal(body)]).maximum).toBe(maximum);
  });

  it.each([
    [
      { errors: [{ field: 'country', message: 'country is mandatory. Allowed values: NL, BE, LU' }] },
      'country',
      ['NL', 'BE', 'LU'],
    ],
    ["country must be one of: 'NL', 'BE'", 'country', ['NL', 'BE']],
    [
      {
        detail: [
          {
            loc: ['query', 'country'],
            msg: "Input should be 'NL' or 'BE'",
            ctx: { expected: "'NL' or 'BE'" },
          },
        ],
      },
      'country',
      ['NL', 'BE'],
    ],
    [{ errors: { land: ['Pflichtparameter fehlt. Erlaubte Werte: DE, AT'] } }, 'land', ['DE', 'AT']],
    ['Veuillez renseigner le paramètre « pays ». Valeurs possibles : NL, BE', 'pays', ['NL', 'BE']],
    [
      { detail: [{ loc: ['query', 'country'], msg: 'Field required', ctx: { expected: "'NL' or 'BE'" } }] },
      'country',
      ['NL', 'BE'],
    ],
    ['querystring/country must be equal to one of the allowed values: NL, BE', 'country', ['NL', 'BE']],
    [{ message: ['country must be one of the following values: NL'] }, 'country', ['NL']],
    ['Parameter since is required, format YYYY-MM-DD', 'since', ['2000-01-01']],
    ["Il parametro 'dal' è obbligatorio. Formato: gg/mm/aaaa", 'dal', ['01/01/2000']],
  ])('error hints include a required companion and its values from %j', (body, name, values) => {
    const hints = errorHintsOf([refusal(body)]);
    expect(hints.values.get(name)).toEqual(values);
    expect(hints.required).toEqual([name]);
    expect(hints.allowed).toEqual([]);
  });

  it('error hints name every unknown parameter in a request, even if each has several error texts', () => {
    const params = Array.from({ length: 60 }, (_, index): Param => [`p${index}`, 'x']);
    const detail = params.slice(1).map(([name]) => ({
      ...{ type: 'extra_forbidden', loc: ['query', name] },
      ...{ msg: 'Extra inputs are not permitted', input: 'x', url: '/errors/extra' },
    }));
    const { namesAllUnknown, allowed } = errorHintsOf([refusal({ detail }, params)]);
    expect(namesAllUnknown).toBe(true);
    expect(allowed).toEqual(['p0']);
  });

  it('error hints include what the form of an error in an unknown language shows', () => {
    const hints = (errors: object, params: readonly Param[]) => errorHintsOf([refusal({ errors }, params)]);
    expect(hints({ nazev: ['Toto pole je povinné.'] }, [['q', 'co']]).required).toEqual(['nazev']);
    expect(hints({ q: ['Délka musí být 3 až 80.'] }, [['q', 'co']]).minQueryLength).toBe(3);
    expect(hints({ rows: ['Nejvýše 40.'] }, [['rows', '1000']])).toMatchObject({
      maximum: 40,
      tooLarge: ['rows'],
    });
  });

  it('error hints name the parameter whose value exceeds the maximum', () => {
    const params: Param[] = ['limit', 'rows', 'size'].map((name): Param => [name, '1000']);
    const hints = errorHintsOf([refusal({ message: 'querystring/rows must be <= 100' }, params)]);
    expect(hints).toMatchObject({ tooLarge: ['rows'], maximum: 100 });
  });

  it('a successful response yields no error hints', () => {
    const hints = errorHintsOf([{ ...refusal('Missing parameter x'), reading: 'ok' }]);
    expect(hints.required).toEqual([]);
  });
});
