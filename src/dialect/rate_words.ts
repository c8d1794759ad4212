import { HOUR_MS } from '../durations.ts';
import { withoutDiacritics } from '../names/folding.ts';
import { MAX_SEARCHED_CHARS } from './quota_words.ts';

/**
 * Reads the rate in an error text such as "max 5 requests per second", in several languages. Returns the time between
 * two calls in milliseconds, or null if the text states no rate. If the text states several rates, the slowest applies.
 * A limit per day or longer is a quota, not a rate.
 */
export function statedSpacingMs(text: string): number | null {
  const plain = withoutDiacritics(text.slice(0, MAX_SEARCHED_CHARS));
  const rates = [...plain.matchAll(COUNTED), ...plain.matchAll(PER_UNIT), ...plain.matchAll(ABBREVIATED)];
  const spacings = rates.flatMap(({ groups: { calls = '', periods = '1', unit = '' } = {} }) => {
    const periodMs = Number(periods) * (UNITS.find(([stems]) => stems.test(unit))?.[1] ?? 0);
    const isRate = Number(calls) > 0 && periodMs > 0 && periodMs <= HOUR_MS;
    return isRate ? [spacingFor(Number(calls), periodMs)] : [];
  });
  return spacings.length === 0 ? null : Math.max(...spacings);
}

/**
 * Returns how many milliseconds to leave between two calls if at most `calls` may arrive in any period: (period +
 * 1,000) / calls. The 1,000 ms allow for a call that arrives up to a second late.
 */
export function spacingFor(calls: number, periodMs: number): number {
  return (periodMs + JITTER_MS) / calls;
}

const NUMBER = '(?<![\\d.,])(?<calls>\\d{1,6})\\s*';
const CALLS = `(?:requests?|calls?|queries|hits|req|anfragen?|abfragen?|aufrufe?|requetes?|appels?|solicitud(?:es)?
  |peticion(?:es)?|consultas?|llamadas?|richiest[ae]|chiamat[ae]|verzoek(?:en)?|aanvra(?:ag|gen)|foresp[oø]r\\p{L}*|kall|kald|anrop|forfragning(?:ar)?|pedidos?|requisic(?:ao|oes)|chamadas?
  |zapytan(?:ia)?|zadan(?:ia)?|pyynto[an]?)`;
const UNIT = `(?:the\\s+)?(?<periods>\\d{1,4})?\\s*(?<unit>seconds?|secs?|s|sekund\\p{L}*|secondes?|segundos?|secondo|secondi
  |minu+t\\p{L}*|mins?|hours?|h|stunden?|heures?|horas?|or[ae]|uur|timer?|timme|godzin\\p{L}*|tunti|tunnissa)(?![\\p{L}\\d])`;
const pattern = (...parts: string[]) => new RegExp(parts.join('').replace(/\n\s+/g, ''), 'gu');

/** Matches "5 requests per second", "100 calls within 10 s", "20 Anfragen pro Minute", "5 pyyntöä minuutissa". */
const COUNTED = pattern(
  NUMBER,
  `(?:\\p{L}+\\s+)?${CALLS}(?!\\p{L})\\s*(?:/|(?:per|an?|each|every|in|within|pro|je|par|por|al|alla|ogni|op|i|om|na|w)\\s)?\\s*`,
  UNIT,
);

/** Matches "Limit: 5 per second" and "10/min". */
const PER_UNIT = pattern(NUMBER, '(?:/|per\\s|pro\\s|par\\s|por\\s)\\s*', UNIT);

/** Matches "5 rps". */
const ABBREVIATED = pattern(NUMBER, '[rqt]p(?<unit>[sm])(?![\\p{L}\\d])');

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(h|or|uur|tim|godz|tun|stund)/, HOUR_MS],
  [/^s/, 1_000],
  [/^m/, 60_000],
];
const JITTER_MS = 1_000;
