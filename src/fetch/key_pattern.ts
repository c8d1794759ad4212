/**
 * Returns a pattern that finds a key in text. Each character in the key can be plain, in either case, escaped as in JSON
 * or JavaScript, percent-encoded (up to five times), an HTML entity, or quoted-printable. A key can mix these encodings.
 * Line breaks, spaces and hyphens can separate its characters. The pattern also finds the key in base64, base64url and
 * hexadecimal, at any position in a longer text. All repetitions are bounded, so the time for matching is proportional to
 * the length of the text.
 *
 * If `isWide` is true, zero bytes can separate the characters, as in UTF-16 and UTF-32.
 */
export function keyPattern(key: string, { isWide }: { isWide: boolean }): RegExp {
  const forms = [
    [...key].map(encodedCharacter).join(`=?${SEPARATORS}`),
    ...base64Forms(key).map((form) => [...form].map(base64Character).join(SEPARATORS)),
    [...Buffer.from(key).toString('hex')].map(eitherCase).join(SEPARATORS),
  ];
  const source = forms.map((form) => `(?:${form})`).join('|');
  return new RegExp(isWide ? widened(source) : source, 'g');
}

/**
 * Returns three base64 strings. If a base64-encoded text contains the key, one of them occurs in it. Base64 encodes
 * bytes in groups of three, so the key has a different encoded form for each offset at which it can start within a
 * group.
 */
export function base64Forms(key: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(key)]);
    const end = bytes.length % 3 === 0 ? undefined : -4;
    return bytes.toString('base64').slice(before === 0 ? 0 : before + 1, end);
  });
}

const BACKSLASHES = '\\\\{1,8}';
const SEPARATORS = '(?:[\\r\\n\\t \\-]|\\\\{1,8}[rnt]){0,4}';

function encodedCharacter(character: string): string {
  const code = character.charCodeAt(0);
  const hex = [...code.toString(16).padStart(2, '0')].map(eitherCase).join('');
  const name = ENTITIES[character];
  const entity = `#0{0,6}${code}(?!\\d);?|#[xX]0{0,6}${hex}(?![\\da-fA-F]);?${name === undefined ? '' : `|${name};`}`;
  const alternatives = [
    /\w/.test(character) ? eitherCase(character) : `\\\\{0,8}\\x${code.toString(16).padStart(2, '0')}`,
    `${BACKSLASHES}(?:u00${hex}|u\\{0{0,4}${hex}\\}|x${hex})`,
    `%(?:25){0,4}(?:u00)?${hex}`,
    `(?:&|${BACKSLASHES}u0026|%(?:25){0,4}26)(?:amp;){0,4}(?:${entity})`,
    `=${hex}`,
  ];
  return `(?:${alternatives.join('|')})`;
}

/** Also matches base64url, which uses - and _ instead of + and /. */
function base64Character(character: string): string {
  if (character === '+') return `(?:-|${encodedCharacter('+')})`;
  if (character === '/') return `(?:_|${encodedCharacter('/')})`;
  return character;
}

function eitherCase(character: string): string {
  return /[a-z]/i.test(character) ? `[${character.toLowerCase()}${character.toUpperCase()}]` : character;
}

/** Changes a pattern so that it allows zero bytes before each character. */
function widened(source: string): string {
  return source.replace(ATOMS, (part, atom?: string, times = '') =>
    atom === undefined ? part : `(?:\\x00{0,3}${atom})${times}`,
  );
}

/**
 * Matches the start of a group, a repetition, or a character or class with its repetition. Only the characters and
 * classes are captured and changed.
 */
const ATOMS = /\(\?[:!]|\{\d,\d\}|(\\x[\da-f]{2}|\\.|\[[^\]]*\]|[\w%&#;=\- ])(\{\d,\d\}|\?)?/g;

/** The names of characters in HTML. */
export const ENTITIES: Readonly<Record<string, string>> = {
  '!': 'excl',
  '"': 'quot',
  '#': 'num',
  $: 'dollar',
  '%': 'percnt',
  '&': 'amp',
  "'": 'apos',
  '(': 'lpar',
  ')': 'rpar',
  '*': 'ast',
  '+': 'plus',
  ',': 'comma',
  '.': 'period',
  '/': 'sol',
  ':': 'colon',
  ';': 'semi',
  '<': 'lt',
  '=': 'equals',
  '>': 'gt',
  '?': 'quest',
  '@': 'commat',
  '[': 'lsqb',
  '\\': 'bsol',
  ']': 'rsqb',
  '^': 'Hat',
  _: 'lowbar',
  '`': 'grave',
  '{': 'lcub',
  '|': 'vert',
  '}': 'rcub',
};
