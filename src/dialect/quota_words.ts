import { isJsonObject, type Json, scalarText, stringifyJson } from '../json/json.ts';
import { withoutDiacritics } from '../names/folding.ts';
import type { Body } from './response_body.ts';

/**
 * Recognises error texts in several languages that report a used-up quota. The lists give word stems without
 * diacritics: `epuis` matches "épuisé" and "épuisés".
 */

/** Words for a quota, or for the contract that grants it. */
const QUOTA = stems(`
  quota allowance allotment credit subscription plan trial balance
  kontingent guthaben abonnement tarif
  forfait solde
  cuota suscripcion saldo
  abbonamento crediti piano
  tegoed bundel
  kvote kvot abonnemang prenumeration
  assinatura franquia cota plano
  pakiet limit-zapytan abonament srodki
  kiintio tilaus`);

/** Compounds of such words: Abrufkontingent, anropskvot, kuukausikiintiö. */
const COMPOUND = '\\b\\w+(?:kontingent|guthaben|tegoed|kvot|kiintio)';

/** Words for long periods. A limit without a stated period may be a limit per minute. */
const PERIOD = stems(`
  daily monthly yearly annual weekly day month year billing-period tages monats jahres journali quotidien mensuel mois
  annuel diari mensual este-mes del-mes anual giornalier mensil dag maand mand manad dzienn miesieczn paivittai kuukausi`);

/** Words for a limit, or for the calls that it limits. */
const LIMIT = stems(`
  limit cap\\b volume call request lookup quer search api-call grens granse grense graense anfrage abruf appel requete
  consulta peticion richiest aanvrag anrop kall opkald pedido zapytan kysely`);

/** A limit on a long period, or a compound for it such as Daglimiet. */
const LONG_LIMIT = `${PERIOD}\\w*[^.!?;<>]{0,25}${LIMIT}|${LIMIT}\\w*[^.!?;<>]{0,25}${PERIOD}|\\b(?:dag|tages|manads|maned|maand|monats)\\w*limi|(?:call|request|api-call)s? limit`;

/** Words for a used-up quota, or for a contract that has ended. */
const USED_UP = stems(`
  exceed exhaust used-up reached deplet consumed spent ran-out run-out out-of expired ended insufficient lapsed is-over
  hit is-zero
  not-enough no-more no-remaining none-left
  erschopft aufgebraucht uberschritten verbraucht abgelaufen ausgeschopft erreicht
  epuis depass atteint expire insuffisant consomme
  agotad superad excedid alcanzad caducad vencid insuficient
  esaurit superat raggiunt scadut
  is-op opgebruikt overschreden bereikt verlopen onvoldoende verbruikt
  brukt-opp oppbrukt opbrugt overskred naadd nadd naet utlopt utløpt udlobet udløbet forbrukad uppnadd slut
  esgotad excedid atingid ultrapassad expirad permite-mais
  wyczerpan przekroczon wygasl wykorzystan
  kaytetty ylitetty ylittynyt`);

/** Phrases for limits per minute or less. Such a limit is not a used-up quota, because waiting is enough. */
const SHORT_PERIOD =
  /\bburst\b|(in|after|nach|dans|en|tra|om) \d+ ?(s|sec|second|sekund|segund|min|minut)|(per|a|each|last|pro|par|por|al) (second|minute|min\b|sec\b|sekunde|seconde|segundo|minuto|minuut|minutt)|\/ ?(s|sec|min|minute)\b/;

/** Phrases for a rate limit, unless the text also mentions a long period. */
const RATE = /rate.?limit|too many requests/;
const LONG_PERIOD = new RegExp(PERIOD);

const USED_ALL =
  'used all[^.!?;<>]{0,25} (calls|requests|queries|lookups|credits)|upgrade[^.!?;<>]{0,25} more (calls|requests|queries|lookups|credits)';
const LIMITED = `${QUOTA}|${COMPOUND}|${LONG_LIMIT}`;
const NEAR = '[^.!?;<>]{0,60}';
const REPORT = new RegExp(
  `(${LIMITED})${NEAR}(${USED_UP})|(${USED_UP})${NEAR}(${LIMITED})|${USED_ALL}|no (remaining |more )?(credits|quota|calls|requests) (left|remaining|available)`,
);

/**
 * Returns whether a body reports that a quota, credits or a subscription is used up. A report of too high a rate does
 * not match.
 */
export function reportsUsedUpQuota(body: Pick<Body, 'json' | 'text'>): boolean {
  const text = plain(body.json === undefined ? (body.text ?? '') : stringifyJson(body.json));
  const isShort = SHORT_PERIOD.test(text) || (RATE.test(text) && !LONG_PERIOD.test(text));
  return REPORT.test(text) && !isShort;
}

/**
 * Returns what the messages in a body without data report: a used-up quota, too high a rate, or neither (null). Only
 * error, status and message fields count. `query` is ignored in them, because messages can repeat it.
 */
export function limitReportedIn(json: Json, query: string): 'exhausted' | 'throttled' | null {
  const text = messagesIn(json)
    .join('. ')
    .replaceAll(query === '' ? '\0' : query, '');
  if (reportsUsedUpQuota({ json: undefined, text })) return 'exhausted';
  const words = plain(text);
  return EXCEEDED_LIMIT.test(words) && !LIMIT_OF_RESULTS.test(words) ? 'throttled' : null;
}

function messagesIn(json: Json): string[] {
  if (!isJsonObject(json)) return [];
  return Object.entries(json).flatMap(([key, value]) => {
    if (!MESSAGE_KEY.test(key)) return [];
    const elements = Array.isArray(value) ? value : [value];
    return elements.flatMap((element) => scalarText(element) ?? messagesIn(element));
  });
}

const MESSAGE_KEY =
  /err|fault|status|message|msg|code|reason|detail|descri|meta|header|^(info|result|title)$/i;
const EXCEEDED_LIMIT = new RegExp(
  `\\b(?:quotas?|limits?)\\b${NEAR}(?:${USED_UP})|(?:${USED_UP})${NEAR}\\b(?:quotas?|limits?|rate)\\b|\\bover (?:\\w+ )?(?:quota|limit)\\b|too many (?:requests|calls|queries)|rate limited|\\bthrottled`,
);
/** A search that matches too many companies is refused, and a repetition would be refused again. */
const LIMIT_OF_RESULTS = /\b(?:results?|matches|hits|records|rows|narrow|refine|pages?|offset)\b/;

/**
 * Lower-cases a string, strips diacritics, and splits codes such as `quota_exceeded` and `quotaExceeded` into words.
 * Only the first MAX_SEARCHED_CHARS characters are kept.
 */
function plain(text: string): string {
  const separate = text.slice(0, MAX_SEARCHED_CHARS).replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return withoutDiacritics(separate).replace(/[_\s-]+/g, ' ');
}

/** Returns a pattern that matches words starting with one of the stems. A `-` in a stem matches a space. */
function stems(list: string): string {
  const patterns = list
    .trim()
    .split(/\s+/)
    .map((stem) => stem.replaceAll('-', ' '));
  return `\\b(?:${[...new Set(patterns)].join('|')})`;
}

/** The maximum number of characters that rules search in a body. */
export const MAX_SEARCHED_CHARS = 20_000;
