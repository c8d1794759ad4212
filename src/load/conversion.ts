import type { ColumnRule } from '../dialect/mapping.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { scalarText } from '../json/json.ts';

type Scalar = Exclude<Json, null | Json[] | JsonObject>;

/**
 * Converts a value to the type that the mapping specifies. A value that cannot be converted is returned unchanged, and
 * its type is recorded as type drift.
 */
export function converted(value: Scalar, rule: ColumnRule): Scalar {
  const text = scalarText(value)?.trim() ?? '';
  switch (rule.type) {
    case undefined:
      return value;
    case 'text':
      return scalarText(value) ?? value;
    case 'integer':
      return /^-?\d{1,18}$/.test(text) ? BigInt(text) : value;
    case 'real':
      return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : value;
    case 'boolean':
      return YES.test(text) ? true : NO.test(text) ? false : value;
    case 'date':
      return (rule.format === undefined ? null : dateIn(text, rule.format)) ?? value;
  }
}

const YES = /^(true|t|yes|y|1|on)$/i;
const NO = /^(false|f|no|n|0|off)$/i;

/** Converts a date in the given format to ISO 8601. Returns null if the text does not match the format. */
function dateIn(text: string, format: string): string | null {
  if (format === 'epoch' || format === 'epoch_ms') {
    const date = new Date(Number(text) * (format === 'epoch' ? 1000 : 1));
    return /^-?\d{1,15}$/.test(text) && !Number.isNaN(date.getTime()) ? date.toISOString() : null;
  }
  const found = patternOf(format).exec(text)?.groups;
  if (found === undefined) return null;
  const { year = '', month = '', day = '' } = found;
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const date = new Date(`${iso}T00:00:00Z`);
  // `Date` would convert 31 February to a day in March, so the result is compared with the input.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : null;
}

const PATTERNS: Readonly<Record<string, string>> = {
  YYYY: String.raw`(?<year>\d{4})`,
  MM: String.raw`(?<month>\d{2})`,
  M: String.raw`(?<month>\d{1,2})`,
  DD: String.raw`(?<day>\d{2})`,
  D: String.raw`(?<day>\d{1,2})`,
};

function patternOf(format: string): RegExp {
  const source = format.replace(
    /YYYY|MM?|DD?|[^YMD]+/g,
    (part) => PATTERNS[part] ?? part.replace(/[^\w\s]/g, '\\$&'),
  );
  return new RegExp(`^${source}$`);
}
