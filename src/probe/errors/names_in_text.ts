import { roleOfParam } from '../param_roles.ts';
import { QUERY_PARAMS } from '../word_lists.ts';
import { isName } from './error_messages.ts';
import { foldCharacters, PARAMETERS } from './error_words.ts';

/**
 * Returns the parameter names in a clause. A word is a name if it is quoted, follows the word "parameter", precedes a
 * verb, or does not look like an ordinary word. The word before a verb counts only if `isUnattributed`, which means
 * that the body attributes the message to no parameter.
 */
export function namesIn(clause: string, sent: ReadonlySet<string>, isUnattributed = true): string[] {
  const names = new Set<string>();
  const add = (text: string | undefined, isIntroduced = false) => {
    const name = (text ?? '').replace(/[.,:]+$/, '');
    const isPossible = sent.has(name) || (isIntroduced && QUERY_PARAMS.includes(name));
    if (isName(name) && (isPossible || !NOT_NAMES.has(name.toLowerCase()))) names.add(name);
  };
  for (const [, quoted] of clause.matchAll(/["'`´‘“„«»”]\s?([^\s"'`´‘’“”„«»]{1,60})\s?["'`´’”“«»]/gu))
    add(quoted, true);
  const words = [...clause.matchAll(/[^\s,;"'`‘’“”„«»]+/gu)].map(([word]) => word);
  words.forEach((word, index) => {
    const name = withoutBrackets(word.replace(/[.:]+$/, ''));
    const isUnlikeWord =
      /^\p{L}$|_|\[.*\]|\p{Ll}\p{Lu}|\p{L}\.\p{L}|-(?=\p{Ll}+$)/u.test(name) &&
      !/^[aàeioyiéèôß]$/i.test(name);
    if (isUnlikeWord || sent.has(name)) add(name);
    if (
      isUnattributed &&
      isIntroduction(words[index - 1] ?? '') &&
      !/^(is|are|must|should|name|types?|der|la|le|el|il|o|on|is|and|or)$/i.test(name)
    )
      add(name, true);
  });
  const listed = /:\s*([^:]+)$/.exec(clause)?.[1];
  if (names.size === 0 && listed !== undefined) for (const name of listIn(listed)) add(name);
  const [, first = ''] =
    /^\s*(\S+)\s+(?:is|are|must|should|cannot|may|can't|ist|sind|muss|darf|est|doit|es|debe|deve|non|is|moet|er|ma|skal|maste|e|jest|musi|on|should|mangler|saknas|fehlt|manque|falta|manca|ontbreekt|puuttuu|:)\b/iu.exec(
      clause,
    ) ?? [];
  if (names.size === 0 && isUnattributed) add(first);
  return [...names];
}

/** Returns the words in a clause that are probably query or identifier parameters although nothing marks them. */
export function plainNamesIn(clause: string): string[] {
  if (/\d/.test(clause)) return [];
  return clause.split(/[\s,:;.]+/).filter((word) => {
    const role = roleOfParam(word);
    const isUsual = NOT_NAMES.has(word) || QUERY_PARAMS.includes(word);
    return (role === 'query' || role === 'identifier') && !isUsual && /^\p{Ll}/u.test(word) && isName(word);
  });
}

function isIntroduction(word: string): boolean {
  return PARAMETERS.test(foldCharacters(word).replace(/^\W+/, '')) && !/[:.]$/.test(word)
    ? true
    : PARAMETERS.test(foldCharacters(word)) && word.endsWith(':');
}

/** Returns the items in a list such as "a, b and c", `["a","b"]` or "a | b". */
export function listIn(text: string): string[] {
  const marked = /[:[{]\s*([^:]+)$/.exec(text)?.[1];
  const list = marked ?? text.replace(/^\S+/, '').replace(/^[^,]*\s(?=\S+,)/, '');
  const quoted = [...list.matchAll(/["'`‘“„«]\s?([^"'`‘’“”„«»]{1,60}?)\s?["'`’”“»]/gu)].map(
    ([, item = '']) => item,
  );
  if (quoted.length > 0) return quoted;
  return list
    .split(/[,|/;]\s*|\s+(?:and|or|und|oder|et|ou|y|o|e|en|of|og|eller|och|i|lub|ja|tai)\s+|\s{2,}/u)
    .map(withoutBrackets)
    .filter((item) => item !== '' && !/\s/.test(item));
}

/** Removes the brackets around a list, but not brackets within a name such as `filter[name]`. */
function withoutBrackets(item: string): string {
  const text = item.trim().replace(/^[[{<(]+/, '');
  return text.includes('[') ? text.replace(/\]{2,}$/, ']') : text.replace(/[\]}>).]+$/, '');
}

/** Words in messages that are not parameter names, although their position suggests that they are. */
export const NOT_NAMES: ReadonlySet<string> = new Set(
  `the a an this that it is are must be of for and or to in on with one value values parameter parameters query request
  field search string required missing invalid error validation failed bad json http get null undefined true false
  der die das ein eine parameter anfrage le la les un une requete parametre el los las parametro il lo gli de het een
  verzoek den det en et foresporsel o os as um uma zapytanie parametr pyynto none all any`.split(/\s+/),
);
