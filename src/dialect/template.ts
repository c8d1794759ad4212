/**
 * A template is text with placeholders: `name:{query}*`, `/companies/{id}`, `{/jurisdiction}/{/number}`. A placeholder
 * is a name or a JSON path. It can name an escape, which makes any text safe in the syntax around it:
 * `startswith(Name,'{query:odata}')`, `{"name":"{query:json}"}`. Of several escapes, the first applies first:
 * `startswith(Name,'{query:upper:odata}')`.
 */

/** The texts to put in place of the placeholders, by name. A name without a text is missing. */
export type Values = Readonly<Record<string, string>>;

interface Escape {
  readonly escaped: (text: string) => string;
  readonly original: (text: string) => string;
  /** Encodes the escaped text; absent if the template's encoding applies to the whole text. */
  readonly encoded?: (text: string, encode: (text: string) => string) => string;
}

const ESCAPES: Readonly<Record<string, Escape>> = {
  /** The inside of a JSON string. */
  json: {
    escaped: (text) => JSON.stringify(text).slice(1, -1),
    original: (text) => JSON.parse(`"${text}"`) as string,
  },
  /** The inside of an OData string, in which a quote is doubled. */
  odata: {
    escaped: (text) => text.replaceAll("'", "''"),
    original: (text) => text.replaceAll("''", "'"),
  },
  /** A Lucene term. `<` and `>` have no escape and become spaces. */
  lucene: {
    escaped: (text) => text.replace(/[<>]/g, ' ').replace(/[+\-=&|!(){}[\]^"~*?:\\/]/g, '\\$&'),
    original: (text) => text.replace(/\\(.)/g, '$1'),
  },
  /** The credentials of Basic authentication. A key without a colon is a user name without a password. */
  basic: {
    escaped: (text) => Buffer.from(text.includes(':') ? text : `${text}:`).toString('base64'),
    original: (text) => Buffer.from(text, 'base64').toString().replace(/:$/, ''),
  },
  /** The last segment of an id with slashes, such as a URL or `companies/10000`. */
  last: {
    escaped: (text) => /([^/]+)\/*$/.exec(text)?.[1] ?? text,
    original: (text) => text,
  },
  /** A number with zeros in front, such as `0000320193`. */
  pad10: {
    escaped: (text) => text.padStart(10, '0'),
    original: (text) => text,
  },
  /** Several segments of a path, such as the id `gb/00102498`. */
  path: {
    escaped: (text) => text,
    original: (text) => text,
    encoded: (text, encode) => text.split('/').map(encode).join('/'),
  },
  /** One segment of an id such as `Wien/HRB/1234`, for a path in which each has its own parameter. */
  ...Object.fromEntries(
    [1, 2, 3, 4, 5].map((part): [string, Escape] => [
      String(part),
      { escaped: (text) => text.split('/')[part - 1] ?? '', original: (text) => text },
    ]),
  ),
  /** Capital letters, for names in capitals that a search compares letter by letter. */
  upper: {
    escaped: (text) => text.toUpperCase(),
    original: (text) => text,
  },
  /** Words only. All other characters become spaces, for full-text syntaxes without an escape. */
  words: {
    escaped: (text) => text.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim(),
    original: (text) => text,
  },
};

/** Replaces the placeholders with their escaped and then encoded texts. A missing text is empty. */
export function filled(
  template: string,
  values: Values,
  encode: (text: string) => string = (plain) => plain,
): string {
  return template.replace(PLACEHOLDER, (_, name: string, ruleName?: string) => {
    const text = Object.hasOwn(values, name) ? (values[name] ?? '') : '';
    const rule = ruleOf(ruleName);
    const escaped = rule?.escaped(text) ?? text;
    return rule?.encoded?.(escaped, encode) ?? encode(escaped);
  });
}

/** Returns the texts in place of the placeholders, or null if the given text does not fit the template. */
export function valuesIn(
  template: string,
  given: string,
  decode: (text: string) => string = (plain) => plain,
): Values | null {
  const holes = [...template.matchAll(PLACEHOLDER)];
  const literals = template.split(PLACEHOLDER).filter((_, index) => index % GROUPS === 0);
  const form = literals.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.*?)');
  const found = new RegExp(`^${form}$`, 's').exec(given);
  if (found === null) return null;
  try {
    const values = holes.map(([, name = '', ruleName], index) => {
      const text = decode(found[index + 1] ?? '');
      return { name, text: ruleOf(ruleName)?.original(text) ?? text };
    });
    return Object.fromEntries(
      values.map(({ name }) => {
        const own = values.filter((value) => value.name === name);
        return [name, own.map(({ text }) => text).join('/')];
      }),
    );
  } catch {
    return null;
  }
}

/** Returns the names of a template's placeholders. */
export function placeholdersIn(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/**
 * Returns why a template is invalid, or null if it is valid. It must contain `placeholder` once, or each of its segments
 * once: `{id:1}`, `{id:2}`. It must contain no other name.
 */
export function templateFault(template: string, placeholder: string): string | null {
  const holes = [...template.matchAll(PLACEHOLDER)].map(([, name, ruleName]) => ({ name, ruleName }));
  const areSegments = holes.every(({ ruleName }, index) => ruleName === String(index + 1));
  const isNamed = holes.length > 0 && holes.every(({ name }) => name === placeholder);
  if (!isNamed || (holes.length > 1 && !areSegments)) return `must contain {${placeholder}} exactly once`;
  return escapeFault(template);
}

/** Returns which escape in a template is unknown, or null if all are known. */
export function escapeFault(template: string): string | null {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, , ruleName]) => ruleName);
  const unknown = names.find((name) => name !== undefined && ruleOf(name) === undefined);
  return unknown === undefined
    ? null
    : `has the unknown escape "${unknown}"; known escapes: ${Object.keys(ESCAPES).join(', ')}`;
}

function ruleOf(names: string | undefined): Escape | undefined {
  if (names === undefined) return undefined;
  const rules = names.split(':').map((name) => (Object.hasOwn(ESCAPES, name) ? ESCAPES[name] : undefined));
  return rules.reduce((outer, inner) => (outer && inner ? inside(outer, inner) : undefined));
}

/** Returns two escapes as one. The last one's encoding counts, because its text is in the syntax around it. */
function inside(first: Escape, last: Escape): Escape {
  return {
    ...last,
    escaped: (text) => last.escaped(first.escaped(text)),
    original: (text) => first.original(last.original(text)),
  };
}

/** A name or a JSON path in braces, and escapes behind colons. */
const PLACEHOLDER = /\{(\w+|\/[^{}:]*)(?::(\w+(?::\w+)*))?\}/g;
/** `split` returns the groups of each placeholder between the texts around it. */
const GROUPS = 3;
