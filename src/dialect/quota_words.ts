import { stringifyJson } from '../json/json.ts';
import type { Body } from './response_body.ts';

/**
 * Recognises error texts in several languages that report a used-up quota. The lists give word stems without
 * diacritics: `epuis` matches "épuisé" and "épuisés".
 */

/** Words for a quota, or for the contract that grants it. */
const QUOTA = stems(`
  quota allowance credit subscription plan trial balance
  kontingent guthaben abonnement tarif
  forfait solde
  cuota suscripcion saldo
  abbonamento crediti piano
  tegoed bundel
  kvote kvot abonnemang prenumeration
  assinatura franquia cota plano
  pakiet limit-zapytan abonament srodki
  kiintio tilaus`);

/** Phrases for limits on long periods. A limit without a stated period may be a limit per minute. */
const LONG_LIMIT =
  '(daily|monthly|yearly|annual|weekly|day|month|year|tages|monats|jahres|journali|quotidien|mensuel|annuel|diari|mensual|anual|giornalier|mensil|dag|maand|mand|manad|dzienn|miesieczn|call|request|api-call)\\w*[ -]{0,2}(limit|grens|granse|grense|graense)';

/** Words for a used-up quota, or for a contract that has ended. */
const USED_UP = stems(`
  exceed exhaust used-up reached deplet consumed spent ran-out run-out out-of expired ended insufficient
  not-enough no-more no-remaining none-left
  erschopft aufgebraucht uberschritten verbraucht abgelaufen ausgeschopft erreicht
  epuis depass atteint expire insuffisant
  agotad superad excedid alcanzad caducad vencid insuficient
  esaurit superat raggiunt scadut
  opgebruikt overschreden bereikt verlopen onvoldoende verbruikt
  brukt-opp oppbrukt opbrugt overskred naadd nadd naet utlopt utløpt udlobet udløbet forbrukad uppnadd slut
  esgotad excedid atingid ultrapassad expirad
  wyczerpan przekroczon wygasl
  kaytetty ylitetty ylittynyt`);

/** Phrases for limits per minute or less. Such a limit is not a used-up quota, because waiting is enough. */
const SHORT_PERIOD =
  /rate.?limit|too many requests|(per|a|each|last|pro|par|por|al) (second|minute|min\b|sec\b|sekunde|seconde|segundo|minuto|minuut|minutt)|\/ ?(s|sec|min|minute)\b/;

const NEAR = '[^.!?;<>]{0,60}';
const REPORT = new RegExp(
  `(${QUOTA}|${LONG_LIMIT})${NEAR}(${USED_UP})|(${USED_UP})${NEAR}(${QUOTA}|${LONG_LIMIT})|no (remaining |more )?(credits|quota|calls|requests) (left|remaining|available)`,
);

/**
 * Returns whether a body reports that a quota, credits or a subscription is used up. A report of too high a rate does
 * not match.
 */
export function reportsUsedUpQuota(body: Body): boolean {
  const text = plain(body.json === undefined ? (body.text ?? '') : stringifyJson(body.json));
  return REPORT.test(text) && !SHORT_PERIOD.test(text);
}

/**
 * Lower-cases a string, strips diacritics, and splits codes such as `quota_exceeded` and `quotaExceeded` into words.
 * Only the first MAX_SEARCHED_CHARS characters are kept.
 */
function plain(text: string): string {
  return text
    .slice(0, MAX_SEARCHED_CHARS)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[_\s-]+/g, ' ');
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
