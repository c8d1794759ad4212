import { isMarkup } from '../../dialect/response_body.ts';
import { isJsonObject, type Json, type JsonObject, scalarText } from '../../json/json.ts';
import { wordsOfKey } from '../json_leaves.ts';

/** A text in an error body, and the parameter to which the body attributes it, or null if the body names none. */
export interface ErrorMessage {
  readonly param: string | null;
  readonly text: string;
}

/**
 * The members that name a parameter, with the formats that use them. If an object has several of them, the one that
 * comes first in this list is used.
 */
const NAMING_MEMBERS: readonly string[] = [
  'parameter', // JSON:API, in `source`
  'param',
  'parameterName',
  'field', // Spring, GraphQL-like lists
  'fieldName',
  'loc', // FastAPI and pydantic: ["query", "name"]
  'instancePath', // ajv: "/name"
  'dataPath',
  'path', // zod: ["name"]
  'propertyPath', // Bean Validation and Symfony: "search.name"
  'property', // class-validator
  'propertyName',
  'memberNames', // .NET
  'pointer', // RFC 9457: "#/name"
  'name', // RFC 7807, in `invalid-params`
  ...[
    'nome',
    'nombre',
    'nom',
    'navn',
    'namn',
    'naam',
    'nazwa',
    'nimi',
    'campo',
    'champ',
    'feld',
    'veld',
    'felt',
    'pole',
  ],
  'attribute',
  'argument',
  'target', // OData
  'key',
];

/**
 * The members in error bodies that have parameter names as keys. They occur in Laravel, Rails and .NET (`errors`),
 * zod's flattened and tree forms (`fieldErrors`, `properties`), and Go and PHP validators.
 */
const MAP_MEMBERS =
  /^(errors?|fieldErrors|field_errors|properties|validation(Errors|_errors)?|violations|fields|constraints?_?by_?field|invalid|messages|modelState|details?)$/i;

/** The members that describe one error. Their keys are never parameter names. */
const ERROR_MEMBERS =
  /^_?(errors?|issues?|message|messages|msg|detail|details|title|type|code|status|reason|description|text|info|hint|help|instance|path|timestamp|time|trace|id|request_?id|source|meta|links?|documentation_?url|severity|level|erreurs?|fehler|feil(melding)?|fel|fejl|virhe(et)?|errori?|errore|mensaje|mensagem|melding|meddelande|nachricht|meldung|messaggio|komunikat|bericht|viesti|success|ok|data|response|result|fault|faultstring|statusCode|keys|constraints|allowed\w*|valid\w*|supported\w*|expected|formErrors)$/i;

/** Members that limit a value by a number or a list: `minimum: 3`, `allowedValues: [...]`. */
const LIMIT_MEMBER =
  /min|max|limit|length|allowed|valid|supported|accepted|expected|permitted|available|options|choices|enum|missing|required|additional|unknown|unrecogni/i;

/**
 * Returns the messages in an error body, which can be XML, HTML, plain text or JSON. It reads the JSON formats of RFC
 * 9457, JSON:API, Spring, Laravel, FastAPI, .NET, zod, ajv, class-validator, and similar lists and maps. A value that
 * repeats `requestPath` is not read as a parameter.
 */
export function messagesIn(json: Json | undefined, text: string, requestPath: string): ErrorMessage[] {
  const messages: ErrorMessage[] = [];
  const body = json ?? (isMarkup(text) ? markupAsJson(text) : text);
  collect(body, { param: null, key: '', isMap: false, depth: 0 }, requestPath, messages);
  const attributed = messages.filter(({ param }) => param !== null);
  return messages
    .filter(({ param, text }) => param !== null || !attributed.some((one) => repeats(text, one)))
    .slice(0, MAX_MESSAGES);
}

/** Returns whether a text begins with the text of another message, as the summary of an error list does. */
function repeats(text: string, message: ErrorMessage): boolean {
  return message.text.length >= MIN_REPEATED_CHARS && text.startsWith(message.text);
}

interface Context {
  readonly param: string | null;
  readonly key: string;
  /** Whether this object's keys are parameter names. */
  readonly isMap: boolean;
  readonly depth: number;
}

function collect(node: Json, context: Context, requestPath: string, messages: ErrorMessage[]): void {
  const { param, key, depth } = context;
  if (messages.length > MAX_MESSAGES || depth > MAX_DEPTH) return;
  if (Array.isArray(node)) {
    const texts = node.flatMap((item) => (isJsonObject(item) ? [] : (scalarText(item) ?? [])));
    if (texts.length > 0 && texts.every(isName) && key !== '' && LIMIT_MEMBER.test(key))
      messages.push({ param, text: `${wordsOfKey(key).join(' ')}: ${texts.join(', ')}` });
    else for (const text of texts) messages.push({ param, text });
    for (const item of node)
      if (typeof item === 'object' && item !== null)
        collect(item, { ...context, depth: depth + 1 }, requestPath, messages);
    return;
  }
  if (!isJsonObject(node)) {
    const text = scalarText(node);
    if (text === null || text === '') return;
    const isList = isName(text) || /^(['"]).+\1$/.test(text);
    const isLimit = LIMIT_MEMBER.test(key) && (typeof node === 'number' || isList);
    messages.push({ param, text: isLimit ? `${wordsOfKey(key).join(' ')}: ${text}` : text });
    return;
  }
  const named = nameIn(node, requestPath) ?? param;
  for (const [member, value] of Object.entries(node)) {
    if (NAMING_MEMBERS.includes(member) && value === node[namingMemberOf(node) ?? '']) continue;
    const isParam = isParamKey(member, value as Json, context);
    const inner: Context = {
      param: isParam ? member : named,
      key: isParam ? '' : member,
      isMap: !isParam && MAP_MEMBERS.test(member) && isJsonObject(value),
      depth: depth + 1,
    };
    collect(value as Json, inner, requestPath, messages);
  }
}

/**
 * Returns whether a key is a parameter name. All keys in a map of errors are parameter names, and so are top-level keys
 * whose value is a list of sentences, as in Django.
 */
function isParamKey(member: string, value: Json, { isMap, depth }: Context): boolean {
  if (ERROR_MEMBERS.test(member)) return false;
  if (isMap) return true;
  const isSentences = Array.isArray(value) && value.some((item) => typeof item === 'string' && !isName(item));
  return depth === 0 && isSentences;
}

function namingMemberOf(node: JsonObject): string | undefined {
  return NAMING_MEMBERS.find((member) => node[member] !== undefined);
}

/** Returns the parameter that an object names, or null if it names none. */
function nameIn(node: JsonObject, requestPath: string): string | null {
  const { source } = node;
  const [own] = [...(isJsonObject(source) ? [nameIn(source, requestPath)] : [])].filter(
    (name) => name !== null,
  );
  if (own !== undefined) return own;
  const member = namingMemberOf(node);
  const value = member === undefined ? undefined : (node[member] as Json);
  const text = Array.isArray(value)
    ? (value.map(scalarText).findLast((part) => part !== null) ?? null)
    : scalarText(value);
  if (text === null || text === requestPath) return null;
  const name = text.replace(/^(#|\$)?[/.]?((query|querystring|params)[/.])?/, '');
  const last = member === 'propertyPath' ? (name.split('.').at(-1) ?? name) : name;
  return isName(last) && !/^(body|query|querystring|params)$|(error|exception)$/i.test(last) ? last : null;
}

/** Returns whether a text can be a parameter name, such as `q`, `filter[name]` or `page.size`. */
export function isName(text: string): boolean {
  return /^[\p{L}_$@][\p{L}\p{N}_$@.:-]{0,60}(\[[\p{L}\p{N}_.:-]*\]){0,3}$/u.test(text);
}

/**
 * Converts the elements and attributes of XML or HTML into a list of objects. When an element is repeated, a new object
 * begins.
 */
function markupAsJson(text: string): Json {
  const visible = text.replace(/<(script|style|head)\b[\s\S]*?<\/\1>|<!--[\s\S]*?-->|<[?!][^>]*>/gi, ' ');
  const objects: Record<string, Json>[] = [{}];
  const add = (key: string, value: string) => {
    const trimmed = unescaped(value).replace(/\s+/g, ' ').trim();
    if (trimmed === '') return;
    if (objects.at(-1)?.[key] !== undefined) objects.push({});
    (objects.at(-1) as Record<string, Json>)[key] = trimmed;
  };
  for (const [, element = 'text', attributes = '', content = ''] of visible.matchAll(
    /<([a-z][\w.:-]*)([^<>]*)>([^<]*)/gi,
  )) {
    for (const [, name = '', value = ''] of attributes.matchAll(/\s([\w.:-]+)\s*=\s*["']([^"']*)["']/g))
      if (NAMING_MEMBERS.includes(name) || /message|detail|reason/i.test(name)) add(name, value);
    add(element.replace(/^.*:/, ''), content);
  }
  for (const [, , content = ''] of visible.matchAll(/<\/([a-z][\w.:-]*)>([^<]+)/gi)) add('text', content);
  return objects as Json;
}

function unescaped(text: string): string {
  const named: Readonly<Record<string, string>> = {
    quot: '"',
    apos: "'",
    lt: '<',
    gt: '>',
    amp: '&',
    nbsp: ' ',
  };
  return text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w+));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return named[String(name).toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

/** A request has up to 70 parameters, and some formats have five texts for each parameter. */
const MAX_MESSAGES = 400;
const MAX_DEPTH = 8;
const MIN_REPEATED_CHARS = 10;
