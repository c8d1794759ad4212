const escaped = (form: (code: number) => string, characters: RegExp) => (key: string) =>
  key.replace(characters, (character) => form(character.charCodeAt(0)));
const hex = (code: number, digits = 2) => code.toString(16).padStart(digits, '0');
const SPECIAL = /\W/g;
const EVERY = /./g;

/** Encodings in which an upstream may echo the API key. */
export const KEY_ENCODINGS: Readonly<Record<string, (key: string) => string>> = {
  'as it is': (key) => key,
  'lower case': (key) => key.toLowerCase(),
  'upper case': (key) => key.toUpperCase(),
  'wrapped lines': (key) => key.replace(/.{9}/g, '$&\\r\\n  '),
  'spaces in between': (key) => [...key].join(' '),
  'JSON, escaped slash': (key) => key.replaceAll('/', '\\/'),
  'JSON, \\u in upper case': escaped((code) => `\\u${hex(code, 4).toUpperCase()}`, SPECIAL),
  'JSON, \\u in lower case': escaped((code) => `\\u${hex(code, 4)}`, SPECIAL),
  'JSON, every character': escaped((code) => `\\u${hex(code, 4)}`, EVERY),
  'JSON in JSON': escaped((code) => `\\\\u${hex(code, 4)}`, SPECIAL),
  'percent, upper case': (key) => encodeURIComponent(key),
  'percent, lower case': (key) => encodeURIComponent(key).replace(/%../g, (code) => code.toLowerCase()),
  'percent, twice': (key) => encodeURIComponent(encodeURIComponent(key)),
  'percent, every character': escaped((code) => `%${hex(code)}`, EVERY),
  'HTML, decimal': escaped((code) => `&#${code};`, SPECIAL),
  'HTML, hexadecimal': escaped((code) => `&#x${hex(code)};`, SPECIAL),
  'HTML, every character': escaped((code) => `&#${code};`, EVERY),
  'HTML, named': (key) => key.replaceAll('+', '&plus;').replaceAll('/', '&sol;').replaceAll('=', '&equals;'),
  'HTML in HTML': escaped((code) => `&amp;#${code};`, SPECIAL),
  'HTML in JSON': escaped((code) => `\\u0026#${code};`, SPECIAL),
  base64: (key) => Buffer.from(key).toString('base64'),
  'base64 after one byte': (key) => Buffer.from(`:${key}?`).toString('base64'),
  'base64 after two bytes': (key) => Buffer.from(`k=${key}&a`).toString('base64'),
  'base64 of the Authorization value': (key) => Buffer.from(`Bearer ${key}`).toString('base64'),
  'base64, escaped slash': (key) => Buffer.from(`k=${key}`).toString('base64').replaceAll('/', '\\/'),
  base64url: (key) => Buffer.from(`k=${key}`).toString('base64url'),
  'hexadecimal, lower case': (key) => Buffer.from(key).toString('hex'),
  'hexadecimal, bytes with hyphens': (key) => Buffer.from(key).toString('hex').replace(/..\B/g, '$&-'),
  'hexadecimal, upper case': (key) => Buffer.from(key).toString('hex').toUpperCase(),
  'quoted-printable': escaped((code) => `=${hex(code).toUpperCase()}`, SPECIAL),
};

/** Character sets in which an upstream may send the whole body, including the key. */
export const BODY_CHARSETS: Readonly<Record<string, (text: string) => Buffer>> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
};
