/**
 * A template is text with one placeholder: `{query}` or `{id}`. A placeholder can name an escape, which makes any text
 * safe in the syntax around it: `startswith(Name,'{query:odata}')`, `{"name":"{query:json}"}`.
 */
export type Placeholder = 'query' | 'id' | 'key';

interface Escape {
  readonly escaped: (text: string) => string;
  readonly original: (text: string) => string;
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
  /** The last segment of an id that is a URL. */
  last: {
    escaped: (text) => /^https?:\/\/.*?([^/]+)\/*$/.exec(text)?.[1] ?? text,
    original: (text) => text,
  },
  /** Words only. All other characters become spaces, for full-text syntaxes without an escape. */
  words: {
    escaped: (text) => text.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim(),
    original: (text) => text,
  },
};

/** Replaces the placeholder with the escaped and then encoded text. */
export function filled(
  template: string,
  placeholder: Placeholder,
  text: string,
  encode: (text: string) => string = (plain) => plain,
): string {
  const { before, rule, after } = partsOf(template, placeholder);
  return before + encode(rule?.escaped(text) ?? text) + after;
}

/** Returns the text in place of the placeholder, or null if the given text does not fit the template. */
export function textIn(
  template: string,
  placeholder: Placeholder,
  given: string,
  decode: (text: string) => string = (plain) => plain,
): string | null {
  const { before, rule, after } = partsOf(template, placeholder);
  if (!given.startsWith(before) || !given.endsWith(after) || given.length < before.length + after.length)
    return null;
  try {
    const text = decode(given.slice(before.length, given.length - after.length));
    return rule?.original(text) ?? text;
  } catch {
    return null;
  }
}

/** Returns why a template is invalid, or null if it is valid. */
export function templateFault(template: string, placeholder: Placeholder): string | null {
  const found = [...template.matchAll(pattern(placeholder))];
  if (found.length !== 1) return `must contain {${placeholder}} exactly once`;
  const name = found[0]?.[1];
  if (name === undefined || Object.hasOwn(ESCAPES, name)) return null;
  return `has the unknown escape "${name}"; known escapes: ${Object.keys(ESCAPES).join(', ')}`;
}

function partsOf(template: string, placeholder: Placeholder) {
  const [before = '', name = '', after = ''] = template.split(pattern(placeholder));
  return { before, after, rule: Object.hasOwn(ESCAPES, name) ? ESCAPES[name] : undefined };
}

function pattern(placeholder: Placeholder): RegExp {
  return new RegExp(`\\{${placeholder}(?::(\\w+))?\\}`, 'g');
}
