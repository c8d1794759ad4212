/** Markup that is safe to send without escaping. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type Markup = Html | string | number | null | false | readonly Markup[];

/**
 * Tagged template for markup. Strings and numbers are escaped, `Html` is inserted unchanged, and null and false are
 * omitted.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Markup[]): Html {
  let markup = strings[0] ?? '';
  for (const [at, part] of parts.entries()) markup += markupOf(part) + (strings[at + 1] ?? '');
  return new Html(markup);
}

/**
 * Marks up text from the registry, such as names, ids and reasons. The text is isolated, so that its writing direction
 * does not affect the text around it. If the text's script belongs to one language, that language is set, because
 * browsers select glyphs for Chinese characters by language.
 */
export function foreign(text: string): Html {
  const language = LANGUAGES.find(({ characters }) => characters.test(text))?.code;
  return language === undefined ? html`<bdi>${text}</bdi>` : html`<bdi lang="${language}">${text}</bdi>`;
}

/** The first match is used. The words are Japanese legal forms, which identify Japanese names without kana. */
const LANGUAGES = [
  { code: 'ja', characters: /[\p{Script=Hiragana}\p{Script=Katakana}]|株式会社|有限会社|合同会社/u },
  { code: 'ko', characters: /\p{Script=Hangul}/u },
  { code: 'zh', characters: /\p{Script=Han}/u },
  { code: 'el', characters: /\p{Script=Greek}/u },
  { code: 'he', characters: /\p{Script=Hebrew}/u },
  { code: 'th', characters: /\p{Script=Thai}/u },
] as const;

function markupOf(part: Markup): string {
  if (part instanceof Html) return part.markup;
  if (part === null || part === false) return '';
  if (typeof part === 'object') return part.map(markupOf).join('');
  return escaped(String(part));
}

function escaped(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPES[character] ?? symbolOf(character)).toWellFormed();
}

/**
 * Returns the visible symbol for a control character, such as ␀. The character itself would be invisible or invalid in
 * HTML.
 */
function symbolOf(control: string): string {
  const code = control.charCodeAt(0);
  return code === 0x7f ? '␡' : String.fromCharCode(0x2400 + code);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const SPECIAL = /[&<>"'\u0000-\u0008\u000b-\u001f\u007f]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A table with a heading. The user can collapse it. On a phone, each row is displayed as a block. */
interface Listing {
  readonly id: string;
  readonly title: string;
  readonly note?: Markup;
  /** Shown instead of the table if there are no rows. */
  readonly empty: string;
  readonly head: readonly string[];
  /** Indexes of the columns that contain numbers. They are right-aligned. */
  readonly numeric?: readonly number[];
  readonly rows: readonly (readonly Markup[])[];
}

export function listing({ id, title, note = null, empty, ...options }: Listing): Html {
  return html`<details class="fold" id="${id}" open><summary><h2>${title}</h2></summary>
${note !== null && note !== false && html`<p class="note">${note}</p>`}
${options.rows.length === 0 ? html`<p class="note">${empty}</p>` : table({ title, ...options })}</details>`;
}

/** On a phone, CSS displays the rows as blocks. The explicit roles keep them a table for screen readers. */
function table({ title, head, numeric = [], rows }: Omit<Listing, 'id' | 'note' | 'empty'>): Html {
  const figureClass = (at: number) => numeric.includes(at) && html` class="figure"`;
  const cells = (row: readonly Markup[]) =>
    row.map((cell, at) => html`<td role="cell" data-h="${head[at] ?? ''}"${figureClass(at)}>${cell}`);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="blocks" role="table">
<thead role="rowgroup"><tr role="row">${head.map((name, at) => html`<th role="columnheader" scope="col"${figureClass(at)}>${name}`)}</thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${cells(row)}`)}</table></div>`;
}

/** Draws names with their values, without those whose value is null or false. */
export function definitions(rows: readonly (readonly [name: string, value: Markup])[]): Html {
  const shown = rows.filter(([, value]) => value !== null && value !== false);
  return html`<dl class="seen">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
