/** Error messages that strict APIs send, in several languages and in the formats that common frameworks use. */

/** One mistake in a request. */
export type Mistake =
  | { readonly is: 'unknown'; readonly name: string; readonly allowed: readonly string[] | null }
  | { readonly is: 'missing'; readonly name: string; readonly values: readonly string[] | null }
  | { readonly is: 'value'; readonly name: string; readonly values: readonly string[] }
  | { readonly is: 'short'; readonly name: string; readonly length: number }
  | { readonly is: 'large'; readonly name: string; readonly maximum: number };

type Sentences = Readonly<{
  missing: (name: string) => string;
  unknown: (name: string) => string;
  allowed: (names: string) => string;
  values: (values: string) => string;
  short: (length: number) => string;
  large: (maximum: number) => string;
}>;

export const LANGUAGES: Readonly<Record<string, Sentences>> = {
  en: {
    missing: (name) => `You need to provide the parameter "${name}".`,
    unknown: (name) => `"${name}" is not a supported parameter.`,
    allowed: (names) => `Valid parameters are: ${names}.`,
    values: (values) => `Allowed values: ${values}.`,
    short: (length) => `Please enter ${length} or more characters.`,
    large: (maximum) => `The value must not exceed ${maximum}.`,
  },
  de: {
    missing: (name) => `Der Parameter „${name}“ ist erforderlich.`,
    unknown: (name) => `Unbekannter Parameter: ${name}.`,
    allowed: (names) => `Gültige Parameter sind: ${names}.`,
    values: (values) => `Mögliche Werte: ${values}.`,
    short: (length) => `Bitte mindestens ${length} Zeichen eingeben.`,
    large: (maximum) => `Der Wert darf höchstens ${maximum} betragen.`,
  },
  fr: {
    missing: (name) => `Veuillez renseigner le paramètre « ${name} ».`,
    unknown: (name) => `Le paramètre « ${name} » est inconnu.`,
    allowed: (names) => `Paramètres acceptés : ${names}.`,
    values: (values) => `Valeurs possibles : ${values}.`,
    short: (length) => `La saisie doit contenir au minimum ${length} caractères.`,
    large: (maximum) => `La valeur doit être au maximum ${maximum}.`,
  },
  es: {
    missing: (name) => `Falta el parámetro '${name}'.`,
    unknown: (name) => `El parámetro '${name}' no está permitido.`,
    allowed: (names) => `Parámetros válidos: ${names}.`,
    values: (values) => `Valores admitidos: ${values}.`,
    short: (length) => `El texto debe tener como mínimo ${length} caracteres.`,
    large: (maximum) => `El valor debe ser como máximo ${maximum}.`,
  },
  it: {
    missing: (name) => `Il parametro "${name}" è richiesto.`,
    unknown: (name) => `Parametro non riconosciuto: ${name}.`,
    allowed: (names) => `Parametri ammessi: ${names}.`,
    values: (values) => `Valori ammessi: ${values}.`,
    short: (length) => `Inserire almeno ${length} caratteri.`,
    large: (maximum) => `Il valore può essere al massimo ${maximum}.`,
  },
  nl: {
    missing: (name) => `De parameter '${name}' ontbreekt.`,
    unknown: (name) => `De parameter '${name}' wordt niet ondersteund: onbekende parameter.`,
    allowed: (names) => `Beschikbare parameters: ${names}.`,
    values: (values) => `Geldige waarden: ${values}.`,
    short: (length) => `Voer ten minste ${length} tekens in.`,
    large: (maximum) => `De waarde is hoogstens ${maximum}.`,
  },
  nb: {
    missing: (name) => `Parameteren ${name} mangler.`,
    unknown: (name) => `Ukjent parameter: ${name}.`,
    allowed: (names) => `Gyldige parametere: ${names}.`,
    values: (values) => `Gyldige verdier: ${values}.`,
    short: (length) => `Teksten må ha minst ${length} tegn.`,
    large: (maximum) => `Verdien kan være høyst ${maximum}.`,
  },
  sv: {
    missing: (name) => `Parametern ${name} måste anges.`,
    unknown: (name) => `Okänd parameter: ${name}.`,
    allowed: (names) => `Giltiga parametrar: ${names}.`,
    values: (values) => `Giltiga värden: ${values}.`,
    short: (length) => `Ange minst ${length} tecken.`,
    large: (maximum) => `Värdet får vara högst ${maximum}.`,
  },
  pt: {
    missing: (name) => `O parâmetro "${name}" deve ser informado.`,
    unknown: (name) => `Parâmetro desconhecido: ${name}.`,
    allowed: (names) => `Parâmetros aceitos: ${names}.`,
    values: (values) => `Valores permitidos: ${values}.`,
    short: (length) => `Informe pelo menos ${length} caracteres no texto: no mínimo ${length} caracteres.`,
    large: (maximum) => `O valor deve ser no máximo ${maximum}.`,
  },
  pl: {
    missing: (name) => `Parametr "${name}" jest wymagany.`,
    unknown: (name) => `Nieznany parametr: ${name}.`,
    allowed: (names) => `Dozwolone parametry: ${names}.`,
    values: (values) => `Dozwolone wartości: ${values}.`,
    short: (length) => `Wpisz przynajmniej ${length} znaki.`,
    large: (maximum) => `Wartość może wynosić maksymalnie ${maximum}.`,
  },
  fi: {
    missing: (name) => `Parametri "${name}" on pakollinen.`,
    unknown: (name) => `Tuntematon parametri: ${name}.`,
    allowed: (names) => `Sallitut parametrit: ${names}.`,
    values: (values) => `Sallitut arvot: ${values}.`,
    short: (length) => `Anna vähintään ${length} merkkiä.`,
    large: (maximum) => `Arvo saa olla enintään ${maximum}.`,
  },
};

/** Returns the sentence about a mistake in this language. */
export function sentenceOf(mistake: Mistake, language: string): string {
  const sentences = LANGUAGES[language] as Sentences;
  switch (mistake.is) {
    case 'unknown':
      return join(
        sentences.unknown(mistake.name),
        mistake.allowed && sentences.allowed(mistake.allowed.join(', ')),
      );
    case 'missing':
      return join(
        sentences.missing(mistake.name),
        mistake.values && sentences.values(mistake.values.join(', ')),
      );
    case 'value':
      return `${mistake.name}: ${sentences.values(mistake.values.join(', '))}`;
    case 'short':
      return sentences.short(mistake.length);
    case 'large':
      return sentences.large(mistake.maximum);
  }
}

function join(first: string, second: string | null): string {
  return second === null ? first : `${first} ${second}`;
}

export interface ErrorReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

type Format = (mistakes: readonly Mistake[], say: (mistake: Mistake) => string, path: string) => ErrorReply;

const json = (status: number, body: unknown, type = 'application/json'): ErrorReply => ({
  status,
  type,
  body: JSON.stringify(body),
});

const english = (mistake: Mistake) => sentenceOf(mistake, 'en');
const byName = <T>(mistakes: readonly Mistake[], text: (mistake: Mistake) => T): Record<string, T[]> =>
  Object.fromEntries(mistakes.map((mistake) => [mistake.name, [text(mistake)]]));

/** The error formats by name. */
export const FORMATS: Readonly<Record<string, Format>> = {
  problem: ([first], say, instance) =>
    json(
      400,
      { type: 'about:blank', title: 'Bad Request', status: 400, detail: first && say(first), instance },
      'application/problem+json',
    ),
  'problem with invalid-params': (mistakes, say) =>
    json(
      422,
      {
        title: 'Your request is not valid',
        status: 422,
        'invalid-params': mistakes.map((one) => ({ name: one.name, reason: say(one) })),
      },
      'application/problem+json',
    ),
  'json:api': (mistakes, say) =>
    json(400, {
      errors: mistakes.map((one) => ({
        status: '400',
        title: 'Invalid query parameter',
        detail: say(one),
        source: { parameter: one.name },
      })),
    }),
  'json:api titles': (mistakes, say) => json(400, { errors: mistakes.map((one) => ({ title: say(one) })) }),
  spring: ([first], say, path) =>
    json(400, {
      timestamp: '2026-03-01T12:00:00Z',
      status: 400,
      error: 'Bad Request',
      message: first && springText(first, say),
      path,
    }),
  'spring errors': (mistakes, say, path) =>
    json(400, {
      status: 400,
      error: 'Bad Request',
      path,
      errors: mistakes.map((one) => ({ field: one.name, code: 'Invalid', defaultMessage: say(one) })),
    }),
  laravel: (mistakes, say) =>
    json(422, { message: mistakes[0] && say(mistakes[0]), errors: byName(mistakes, laravelText) }),
  fastapi: (mistakes) =>
    json(422, { detail: mistakes.map((one) => ({ ...pydanticOf(one), loc: ['query', one.name] })) }),
  dotnet: (mistakes, say) =>
    json(400, {
      type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
      title: 'One or more validation errors occurred.',
      status: 400,
      errors: byName(mistakes, say),
      traceId: '00-a1',
    }),
  zod: (mistakes) => json(400, { success: false, error: { name: 'ZodError', issues: mistakes.map(zodOf) } }),
  fastify: ([first]) =>
    json(400, {
      statusCode: 400,
      code: 'FST_ERR_VALIDATION',
      error: 'Bad Request',
      message: first && ajvText(first),
    }),
  'class-validator': (mistakes) =>
    json(400, { statusCode: 400, error: 'Bad Request', message: mistakes.map(classValidatorText) }),
  django: (mistakes, say) => json(400, byName(mistakes, say)),
  flat: ([first], say) => json(400, { error: 'invalid_request', message: first && say(first) }),
  xml: (mistakes, say) => ({
    status: 400,
    type: 'application/xml',
    body: `<?xml version="1.0" encoding="UTF-8"?><errors>${mistakes.map((one) => `<error><code>E17</code><parameter>${one.name}</parameter><message>${escaped(say(one))}</message></error>`).join('')}</errors>`,
  }),
  html: ([first], say) => ({
    status: 400,
    type: 'text/html',
    body: `<!doctype html><html><head><title>400</title></head><body><h1>400</h1><p>${first ? escaped(say(first)) : ''}</p></body></html>`,
  }),
  sentence: ([first], say) => ({ status: 400, type: 'text/plain', body: first ? say(first) : '' }),
};

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;');
}

function springText(mistake: Mistake, say: (mistake: Mistake) => string): string {
  return mistake.is === 'missing'
    ? `Required request parameter '${mistake.name}' for method parameter type String is not present${mistake.values === null ? '' : `. ${say(mistake)}`}`
    : say(mistake);
}

function laravelText(mistake: Mistake): string {
  const name = mistake.name.replaceAll('_', ' ');
  switch (mistake.is) {
    case 'missing':
      return `The ${name} field is required.${mistake.values === null ? '' : ` Allowed values: ${mistake.values.join(', ')}.`}`;
    case 'short':
      return `The ${name} must be at least ${mistake.length} characters.`;
    case 'large':
      return `The ${name} may not be greater than ${mistake.maximum}.`;
    default:
      return english(mistake);
  }
}

function pydanticOf(mistake: Mistake): object {
  switch (mistake.is) {
    case 'missing':
      return {
        type: 'missing',
        msg: 'Field required',
        input: null,
        ...(mistake.values === null
          ? {}
          : { ctx: { expected: mistake.values.map((value) => `'${value}'`).join(' or ') } }),
      };
    case 'unknown':
      return {
        type: 'extra_forbidden',
        msg: `Extra inputs are not permitted${mistake.allowed === null ? '' : `; allowed: ${mistake.allowed.join(', ')}`}`,
        input: 'x',
      };
    case 'value':
      return {
        type: 'enum',
        msg: `Input should be ${mistake.values.map((value) => `'${value}'`).join(' or ')}`,
        ctx: { expected: mistake.values.join(' or ') },
      };
    case 'short':
      return {
        type: 'string_too_short',
        msg: `String should have at least ${mistake.length} characters`,
        ctx: { min_length: mistake.length },
      };
    case 'large':
      return {
        type: 'less_than_equal',
        msg: `Input should be less than or equal to ${mistake.maximum}`,
        ctx: { le: mistake.maximum },
      };
  }
}

function zodOf(mistake: Mistake): object {
  switch (mistake.is) {
    case 'missing':
      return mistake.values === null
        ? {
            code: 'invalid_type',
            expected: 'string',
            path: [mistake.name],
            message: 'Invalid input: expected string, received undefined. Required',
          }
        : {
            code: 'invalid_value',
            values: mistake.values,
            path: [mistake.name],
            message: `Required. Expected one of ${mistake.values.map((value) => `"${value}"`).join('|')}`,
          };
    case 'unknown':
      return {
        code: 'unrecognized_keys',
        keys: [mistake.name],
        path: [],
        message: `Unrecognized key: "${mistake.name}"${mistake.allowed === null ? '' : `. Supported: ${mistake.allowed.join(', ')}`}`,
      };
    case 'value':
      return {
        code: 'invalid_value',
        values: mistake.values,
        path: [mistake.name],
        message: `Invalid option: expected one of ${mistake.values.map((value) => `"${value}"`).join('|')}`,
      };
    case 'short':
      return {
        code: 'too_small',
        minimum: mistake.length,
        origin: 'string',
        path: [mistake.name],
        message: `Too small: expected string to have >=${mistake.length} characters`,
      };
    case 'large':
      return {
        code: 'too_big',
        maximum: mistake.maximum,
        origin: 'number',
        path: [mistake.name],
        message: `Too big: expected number to be <=${mistake.maximum}`,
      };
  }
}

function ajvText(mistake: Mistake): string {
  switch (mistake.is) {
    case 'missing':
      return `querystring must have required property '${mistake.name}'${mistake.values === null ? '' : `, allowed values: ${mistake.values.join(', ')}`}`;
    case 'unknown':
      return `querystring must NOT have additional properties${mistake.allowed === null ? '' : `; allowed properties: ${mistake.allowed.join(', ')}`}`;
    case 'value':
      return `querystring/${mistake.name} must be equal to one of the allowed values: ${mistake.values.join(', ')}`;
    case 'short':
      return `querystring/${mistake.name} must NOT have fewer than ${mistake.length} characters`;
    case 'large':
      return `querystring/${mistake.name} must be <= ${mistake.maximum}`;
  }
}

function classValidatorText(mistake: Mistake): string {
  switch (mistake.is) {
    case 'missing':
      return mistake.values === null
        ? `${mistake.name} should not be empty`
        : `${mistake.name} must be one of the following values: ${mistake.values.join(', ')}`;
    case 'unknown':
      return `property ${mistake.name} should not exist${mistake.allowed === null ? '' : ` (allowed: ${mistake.allowed.join(', ')})`}`;
    case 'value':
      return `${mistake.name} must be one of the following values: ${mistake.values.join(', ')}`;
    case 'short':
      return `${mistake.name} must be longer than or equal to ${mistake.length} characters`;
    case 'large':
      return `${mistake.name} must not be greater than ${mistake.maximum}`;
  }
}
