/** Markup that is safe as it stands. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type Part = Html | string | number | null | false | readonly Part[];

/**
 * Tagged template for markup: whatever stands in it is text, unless it is markup made the same way. Null and
 * false leave nothing behind.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? '';
  for (const [at, part] of parts.entries()) markup += markupOf(part) + (strings[at + 1] ?? '');
  return new Html(markup);
}

/** Text of others (names, ids, reasons): kept apart, so that its direction changes nothing around it. */
export function foreign(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

function markupOf(part: Part): string {
  if (part instanceof Html) return part.markup;
  if (part === null || part === false) return '';
  if (typeof part === 'object') return part.map(markupOf).join('');
  return escaped(String(part));
}

function escaped(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPES[character] ?? pictureOf(character)).toWellFormed();
}

/** Control characters would vanish or end the document: they are shown as what they are (␀). */
function pictureOf(control: string): string {
  const code = control.charCodeAt(0);
  return code === 0x7f ? '␡' : String.fromCharCode(0x2400 + code);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const SPECIAL = /[&<>"'\u0000-\u0008\u000b-\u001f\u007f]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
