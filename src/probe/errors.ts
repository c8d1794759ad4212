import { isMarkup } from '../dialect/response_body.ts';
import { isJsonObject, type Json, type JsonObject, scalarText } from '../json/json.ts';
import { withoutEntities } from '../names/plain_text.ts';
import type { ProbeExchange } from './exchange.ts';
import { folded, isFormOf, roleOfParam, wordsOfKey } from './words.ts';

/**
 * Reads error bodies. An error only proposes: names that it mentions may be refused, missing or allowed, and numbers may
 * be limits. The requests decide.
 */

/** What an error mentions. */
export interface ErrorReading {
  /** Sent parameters that the error mentions outside a list with other names. */
  readonly named: ReadonlySet<string>;
  /** Parameters that the request lacks, those to which the body attributes an error first. */
  readonly missing: readonly string[];
  /** Names in a list that also has names that the request lacks. Such a list may be the API's parameters. */
  readonly listed: readonly string[];
  /** Lists of words that may be the values of a parameter. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly numbers: readonly number[];
  /** The texts for a person, joined. */
  readonly text: string;
}

/** Reads the error in one response. */
export function readError({ json, text, request }: ProbeExchange): ErrorReading {
  const sent = new Set(request.params.map(([name]) => name));
  // An error that repeats a sent value does not mean a parameter.
  const isValue = (word: string) => !sent.has(word) && request.params.some(([, value]) => value === word);
  const messages = messagesIn(json, text, request.path, sent);
  const named = new Set<string>();
  const missing = new Set<string>();
  const listed = new Set<string>();
  const values = new Map<string, readonly string[]>();
  for (const message of messages) {
    const found = namesIn(message, sent);
    // A message about sent parameters suggests other names, but does not require them.
    const isAboutSent = found.names.some((name) => sent.has(name));
    for (const name of found.names.filter((word) => !isValue(word)))
      if (sent.has(name)) named.add(name);
      else if (!isAboutSent || name === message.param) missing.add(name);
    for (const name of found.listed) listed.add(name);
    if (found.values.length > 0 && found.subject !== null) values.set(found.subject, found.values);
  }
  // Some bodies have the same sentence twice.
  const numbers = [...new Map(messages.map((message) => [message.text, message])).values()].flatMap(
    numbersIn,
  );
  return {
    named,
    missing: [...missing].filter((name) => !listed.has(name)),
    listed: [...listed],
    values,
    numbers,
    text: messages.map((message) => message.text).join(' · '),
  };
}

/** Returns whether two refusals have the same text, apart from numbers such as times. */
export function isSameRefusal(one: ProbeExchange, other: ProbeExchange): boolean {
  const text = (refusal: ProbeExchange) => readError(refusal).text.replace(/[\da-f-]*\d[\da-f-]*/gi, '');
  return one.status === other.status && text(one) === text(other);
}

interface Mentions {
  readonly names: readonly string[];
  readonly listed: readonly string[];
  readonly values: readonly string[];
  readonly subject: string | null;
}

/** Finds the names in one message. */
function namesIn({ param, text }: Message, sent: ReadonlySet<string>): Mentions {
  const plain = text
    .slice(0, MAX_CHARS)
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/\bquerystring[/.](?=\S)/g, 'parameter ');
  const names = new Set(param === null ? [] : [param]);
  const listed: string[] = [];
  let values: readonly string[] = [];
  let rest = plain;
  let subject = param;
  for (const { items, before, whole } of listsOf(plain, sent)) {
    const about = subjectIn(before, sent) ?? param;
    const unsent = items.filter((item) => !sent.has(item)).length;
    const isNew = unsent > 0 && (items.length <= 5 || unsent * 5 >= items.length);
    if (isNew && isValueList(items, before, about)) {
      values = items;
      subject = about;
      if (about !== null && !sent.has(about)) names.add(about);
    } else if (
      isNew &&
      items.length > 1 &&
      items.filter(mayBeParam).length > items.length / 2 &&
      isNameList(items, before, sent)
    )
      listed.push(...items.filter(mayBeParam));
    else {
      // As in `Missing required parameter: org` and `Parametro obbligatorio mancante: org`.
      const sentence = wordsOfKey(before.split(/[.;]\s/).at(-1) ?? '');
      const isParam = items.length === 1 && /:\W*$/.test(before) && sentence.some(isParamWord);
      for (const item of items) if (sent.has(item) || (isParam && mayBeParam(item))) names.add(item);
    }
    rest = rest.replace(whole, ' ; ');
  }
  const isExplained = names.size > 0 || listed.length > 0 || values.length > 0;
  for (const name of namesInSentence(rest, sent, !isExplained)) names.add(name);
  return { names: [...names], listed, values, subject: subject ?? [...names][0] ?? null };
}

/** A list in a text: `: a, b`, `[a, b]`, `'a' or 'b'`. */
interface TextList {
  readonly items: readonly string[];
  readonly before: string;
  readonly whole: string;
}

function listsOf(text: string, sent: ReadonlySet<string>): TextList[] {
  return [...text.matchAll(LIST)].flatMap((match): TextList[] => {
    const [whole] = match;
    const all = whole.split(SEPARATOR).map(bare);
    // Among other names, a word such as `name` is a name.
    const isNamed = (item: string) =>
      sent.has(item) || !ORDINARY.has(folded(item)) || (all.length > 2 && roleOfParam(item) === 'query');
    const items = all.filter((item) => item !== '' && isNamed(item));
    const before = text.slice(0, match.index);
    const isIntroduced = /[:[({<"'`«„“]\s*$|[:=]\s*\W?$/.test(before) || /^\W*["'`«„“[]/.test(whole);
    const isPlain = items.every((item) => !/\s/.test(item));
    if (!isPlain || items.length === 0 || (items.length < 2 && !/(?::|\bone of)\s*["'[]*$/.test(before)))
      return [];
    return isIntroduced || items.length > 2 ? [{ items, before, whole }] : [];
  });
}

const ITEM = `["'\`«„“\\[]?\\s?[\\p{L}_$@][^\\s,;|"'\`«»„“”\\[\\])}<>]*(?:\\[[^\\]\\s]*\\])*(?:\\s?["'\`»”“\\]])?`;
const JOIN = `\\s*(?:[,|]|\\s(?:and|or|und|oder|et|ou|y|o|e|en|og|eller|och|lub|ja|tai)\\s)\\s*(?:(?:and|or|und|oder|et|ou|y|o|e)\\s)?`;
const LIST = new RegExp(
  `${ITEM}(?:${JOIN}${ITEM})+|(?<=(?:[:\\[({]|\\bone of)\\s{0,2}["'\\[]?)${ITEM}(?=["'\\])}.;]|\\s*$)`,
  'gu',
);
const SEPARATOR = new RegExp(JOIN, 'u');

function bare(item: string): string {
  const text = item
    .trim()
    .replace(/^["'`«„“<({]+\s?/, '')
    .replace(/\s?["'`»”“>)}.]+$/, '');
  return text.startsWith('[') ? text.replace(/^\[|\]$/g, '') : text.replace(/(?<!\[[^\]]*)\]$/, '');
}

/** Returns whether a list probably has values: a word for values introduces it, or no item has a parameter's role. */
function isValueList(items: readonly string[], before: string, subject: string | null): boolean {
  if (subject === null) return false;
  const near = wordsOfKey(before).slice(-8);
  if (near.some(isParamWord) && !near.some(isValueWord)) return false;
  return near.some(isValueWord) || items.every((item) => roleOfParam(item) === null);
}

const isParamWord = (word = ''): boolean => PARAM_ROOTS.some((root) => isFormOf(word, root));

const isValueWord = (word: string): boolean => VALUE_ROOTS.some((root) => isFormOf(word, root));

function isNameList(items: readonly string[], before: string, sent: ReadonlySet<string>): boolean {
  const near = wordsOfKey(before).slice(-8);
  return (
    near.some(isParamWord) ||
    items.some((item) => sent.has(item) || (roleOfParam(item) !== null && /^[\p{Ll}$]/u.test(item)))
  );
}

const PARAM_ROOTS =
  'param argument field feld champ campo veld felt falt pole kentt kentta propert column'.split(' ');
const VALUE_ROOTS =
  'value wert valeur valor valore waard verdi vard warto arvo enum expected choice option'.split(' ');

/** Returns the parameter that a text before a list is about. */
function subjectIn(before: string, sent: ReadonlySet<string>): string | null {
  return namesInSentence(before, sent, false).at(-1) ?? namesInSentence(before, sent, true).at(-1) ?? null;
}

/**
 * Returns the names in a sentence: quoted words and words unlike ordinary ones. If there are none and plain words may be
 * names too, returns the words that a word for parameters introduces and the word before a verb.
 */
function namesInSentence(text: string, sent: ReadonlySet<string>, mayBePlain: boolean): string[] {
  const names = new Set<string>();
  const isLatin = !NOT_LATIN.test(text);
  // A single word is a code, unless the request had it.
  if (isLatin && !/\s/.test(text.trim()) && !sent.has(text.trim())) return [];
  const add = (word: string) => {
    const name = word.replace(/[.,:;]+$/, '');
    if (sent.has(name) || (mayBeParam(name) && !ORDINARY.has(folded(name)))) names.add(name);
  };
  // A bracket inside a name, as in `page[offset]`, quotes nothing.
  for (const [, quoted = ''] of text.matchAll(
    /(?:["'`´‘“„«»”]|(?<![\p{L}\p{N}\]])\[)\s?([^\s"'`´‘’“”„«»]{1,60}?)\s?["'`´’”“«»\]]/gu,
  ))
    if (roleOfParam(quoted) === 'query' && isName(quoted)) names.add(quoted);
    else add(quoted);
  // In a text that is not in Latin letters, Latin words are names.
  if (!isLatin) for (const [word] of text.matchAll(LATIN_NAME)) if (isName(word)) names.add(word);
  const tokens = [...text.matchAll(/[^\s,"'`‘’“”„«»()<>]+/gu)].map(([word]) => word);
  // As in `Falta el parámetro obligatorio org`.
  const [before = '', kind = ''] = tokens.slice(-3);
  const isLast = tokens.length > 3 && isParamWord(wordsOfKey(before)[0]) && OBLIGATORY.test(kind);
  if (mayBePlain && isLast) add(tokens.at(-1) ?? '');
  for (const token of tokens) {
    const name = token.replace(/[.:;]+$/, '');
    if (/_|\[.*\]|\p{Ll}\p{Lu}|^\$|\p{L}-\p{Ll}+$|\p{Ll}\.\p{Ll}|^\p{L}\d$/u.test(name)) add(name);
  }
  if (!mayBePlain || names.size > 0) return [...names];
  tokens.forEach((token, index) => {
    const name = token.replace(/[.:;]+$/, '');
    const before = tokens[index - 1] ?? '';
    const [word = ''] = wordsOfKey(before);
    const isIntroduced =
      isParamWord(word) &&
      // After a plural, a name is in a list.
      (!word.endsWith('s') || sent.has(name)) &&
      !/[.;]$/.test(before) &&
      !/:$|^:$/.test(tokens[index + 1] === ':' ? ':' : token);
    const isBeforeVerb =
      index === 0 && VERB.test(tokens[1] ?? '') && /^\p{Ll}/u.test(name) && !isParamWord(name);
    const isBeforeColon = token.endsWith(':') && index === 0 && tokens.length > 1;
    if (isIntroduced && roleOfParam(name) === 'query' && isName(name)) names.add(name);
    if (isIntroduced || isBeforeVerb || (isBeforeColon && (sent.has(name) || roleOfParam(name) !== null)))
      add(name);
  });
  return [...names];
}

const OBLIGATORY =
  /^(o?bligat|required|mandatory|erforderlich|verpflicht|wymagan|povinn|obrigat|requis|requerid|necess)/i;

const NOT_LATIN = /(?!\p{Script=Latin})\p{L}.*(?!\p{Script=Latin})\p{L}/su;
const LATIN_NAME = /(?<![\w.-])[$@]?[a-z_][\w$]*(?:[.-][\w$]+)*(?:\[[\w.:-]*\])*/g;

const VERB =
  /^(is|are|must|should|cannot|may|can't|ist|sind|muss|darf|est|doit|es|debe|deve|moet|mangler|saknas|fehlt|manque|falta|manca|ontbreekt|puuttuu|jest|on)$/u;

/** Ordinary words in messages that a sign or their position can make look like names. */
const ORDINARY: ReadonlySet<string> = new Set(
  `the a an this that it is are must be of for querystring body sind allowed and or to in on with one value values parameter parameters param params query request
  field search string required missing invalid error validation failed bad json http get null undefined true false name
  type types not no your our was were has have should cannot may can from at by unknown unrecognized unsupported given
  der die das ein eine anfrage ist le la les un une requete el los las parametro il lo gli de het een verzoek den det en
  et foresporsel o os as um uma zapytanie parametr pyynto do does did which will would could passed
  provided sent supplied specified used none all any e y i ja og och parameteren parametern parametri`.split(
    /\s+/,
  ),
);

/** Returns whether a text can be a parameter name, such as `q`, `$filter`, `filter[name]` or `page-size`. */
export function isName(text: string): boolean {
  return /^(?=.*\p{L})[\p{L}_$@][\p{L}\p{N}_$@.:-]{0,60}(\[[\p{L}\p{N}_.:-]*\]){0,3}$/u.test(text);
}

/** Returns whether a word in a message can be a parameter that was not sent. A letter is one only if its use is usual. */
function mayBeParam(text: string): boolean {
  return isName(text) && (/\p{L}.*\p{L}/u.test(text) || roleOfParam(text) !== null);
}

/** Returns the numbers in a message, at most four, because a longer list holds data and not limits. */
function numbersIn({ text }: Message): number[] {
  const plain = text.replace(/https?:\/\/\S+|\d{4}-\d\d-\d\dT?\S*/g, ' ');
  const numbers = [...plain.matchAll(/(?<![\w.,-])\d{1,6}(?![\w.]*\w|,\d)/g)].map(([number]) =>
    Number(number),
  );
  return /\p{L}/u.test(plain) && numbers.length <= 4 ? numbers : [];
}

const MAX_CHARS = 20_000;

/** A text in an error body, and the parameter to which the body attributes it, or null if the body names none. */
interface Message {
  readonly param: string | null;
  readonly text: string;
}

/** The members that name a parameter. The first of them in an object is used. */
const NAMING =
  `parameter param parameterName field fieldName loc instancePath dataPath path propertyPath property
  propertyName memberNames pointer name nome nombre nom navn namn naam nazwa nimi campo champ feld veld felt pole
  attribute argument target key column`.split(/\s+/);

/** The members in error bodies that have parameter names as keys. */
const MAPS =
  /^(errors?|fieldErrors|field_errors|properties|validation(Errors|_errors)?|violations|fields|invalid|messages?|modelState|details?)$/i;

/** The members that describe an error. Their keys are never parameter names. */
const MEMBERS =
  /^_*(\w*param\w*|errors?|issues?|message|messages|msg|detail|details|title|type|code|status|reason|description|text|info|hint|help|instance|path|timestamp|time|trace|id|request_?id|source|meta|links?|documentation_?url|severity|level|erreurs?|fehler|feil(melding)?|fel|fejl|virhe(et)?|errori?|errore|mensaje|mensagem|melding|meddelande|nachricht|meldung|messaggio|komunikat|bericht|viesti|success|ok|data|response|result|fault|faultstring|statusCode|keys|constraints|allowed\w*|valid\w*|supported\w*|expected|formErrors|root_?cause|lang|value)$/i;

/** Members with texts that are the same in every response. */
const NOT_MESSAGES = /copyright|licen[cs]e|attribution|version/i;

/** Members with a limit as a number or a list: `minimum: 3`, `allowedValues: [...]`. */
const LIMIT =
  /min|max|limit|length|allowed|valid|supported|accepted|expected|permitted|available|options|choices|enum|missing|required|additional|unknown|unrecogni/i;

/** Returns the messages in an error body, which can be JSON, plain text or text with tags. */
function messagesIn(
  json: Json | undefined,
  text: string,
  requestPath: string,
  sent: ReadonlySet<string>,
): Message[] {
  const messages: Message[] = [];
  const collect = (node: Json, { param, key, isMap, depth }: Context): void => {
    if (messages.length > MAX_MESSAGES || depth > 8) return;
    if (Array.isArray(node)) {
      const texts = node.flatMap((item) => (isJsonObject(item) ? [] : (scalarText(item) ?? [])));
      if (texts.length > 0 && texts.every(isName) && (LIMIT.test(key) || isOfParam(key)))
        messages.push({ param, text: `${wordsOfKey(key).join(' ')}: ${texts.join(', ')}` });
      else for (const one of texts) messages.push({ param, text: one });
      for (const item of node)
        if (typeof item === 'object' && item !== null) collect(item, { param, key, isMap, depth: depth + 1 });
      return;
    }
    if (!isJsonObject(node)) {
      const own = scalarText(node);
      if (own === null || own === '' || typeof node === 'boolean') return;
      const isLimit =
        LIMIT.test(key) && (typeof node === 'number' || isName(own) || /^(['"]).+\1$/.test(own));
      if (typeof node !== 'number' || isLimit)
        messages.push({ param, text: isLimit ? `${wordsOfKey(key).join(' ')}: ${own}` : own });
      return;
    }
    const naming = namingMember(node, sent);
    const named = nameOf(node, requestPath, sent) ?? param;
    for (const [member, value] of Object.entries(node)) {
      if ((member === naming && named !== param) || NOT_MESSAGES.test(member)) continue;
      const isParam = isParamKey(member, value as Json, isMap, depth);
      collect(value as Json, {
        param: isParam ? member : named,
        key: isParam ? '' : member,
        isMap: !isParam && MAPS.test(member) && isJsonObject(value),
        depth: depth + 1,
      });
    }
  };
  const body = json ?? (isMarkup(text) ? markupAsJson(text) : text);
  collect(body, { param: null, key: '', isMap: false, depth: 0 });
  return messages.slice(0, MAX_MESSAGES);
}

interface Context {
  readonly param: string | null;
  readonly key: string;
  /** Whether this object's keys are parameter names. */
  readonly isMap: boolean;
  readonly depth: number;
}

/** All keys in a map of errors are parameter names, and so are top-level keys whose value is a list of sentences. */
function isParamKey(member: string, value: Json, isMap: boolean, depth: number): boolean {
  if (MEMBERS.test(member) || !isName(member)) return false;
  if (isMap) return typeof value === 'object' || (typeof value === 'string' && /\s/.test(value));
  return (
    depth === 0 && Array.isArray(value) && value.some((item) => typeof item === 'string' && !isName(item))
  );
}

function isOfParam(key: string): boolean {
  return wordsOfKey(key).some((word) => isFormOf(word, 'param')) && !MAPS.test(key);
}

/** Returns the member that names a parameter: by its key, or because its value is the name of a sent parameter. */
function namingMember(node: JsonObject, sent: ReadonlySet<string>): string | undefined {
  return (
    NAMING.find((one) => node[one] !== undefined) ??
    Object.keys(node).find((key) => isOfParam(key) && !LIMIT.test(key) && scalarText(node[key]) !== null) ??
    Object.keys(node).find((key) => sent.has(scalarText(node[key]) ?? ''))
  );
}

/** Returns the parameter that an object names, or null if it names none. */
function nameOf(node: JsonObject, requestPath: string, sent: ReadonlySet<string>): string | null {
  const { source } = node;
  const inner = isJsonObject(source) ? nameOf(source, requestPath, sent) : null;
  if (inner !== null) return inner;
  const member = namingMember(node, sent);
  const value = member === undefined ? undefined : (node[member] as Json);
  const text = Array.isArray(value)
    ? (value.map(scalarText).findLast((part) => part !== null) ?? null)
    : scalarText(value);
  if (text === null || text === requestPath) return null;
  const name = text.replace(/^(#|\$(?=[/.]))?[/.]?((query|querystring|params)[/.])?/, '');
  const last = member === 'propertyPath' ? (name.split('.').at(-1) ?? name) : name;
  return isName(last) && !/^(body|query|querystring|params)$|(error|exception)$/i.test(last) ? last : null;
}

/** Converts the texts of XML or HTML elements into objects. A repeated element begins a new object. */
function markupAsJson(text: string): Json {
  const objects: Record<string, Json>[] = [{}];
  for (const [, key = '', content = ''] of text.matchAll(/<(\/?[a-z]+:?\w*)[^<>]*>([^<]*[^<\s][^<]*)/gi)) {
    const last = objects.at(-1);
    const words = withoutEntities(content).trim();
    if (last === undefined || last[key] !== undefined) objects.push({ [key]: words });
    else last[key] = words;
  }
  return objects as Json;
}

/** A request has up to 70 parameters, and some formats have five texts for each parameter. */
const MAX_MESSAGES = 400;
