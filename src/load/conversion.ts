import { scalarText } from '../dialect/decode.ts';
import type { ColumnRule } from '../dialect/mapping.ts';
import type { Json, JsonObject } from '../json/json.ts';

type Scalar = Exclude<Json, null | Json[] | JsonObject>;

/** The value as the mapping wants it; what cannot be made into that stays as it is, and shows as drift. */
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

/** An ISO date or time, read by the format; null where the text does not fit it. */
function dateIn(text: string, format: string): string | null {
  if (format === 'epoch' || format === 'epoch_ms') {
    const moment = new Date(Number(text) * (format === 'epoch' ? 1000 : 1));
    return /^-?\d{1,15}$/.test(text) && !Number.isNaN(moment.getTime()) ? moment.toISOString() : null;
  }
  const found = patternOf(format).exec(text)?.groups;
  if (found === undefined) return null;
  const { year = '', month = '', day = '' } = found;
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const moment = new Date(`${iso}T00:00:00Z`);
  // 31 February is no date.
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(iso) ? iso : null;
}

const PARTS: Readonly<Record<string, string>> = {
  YYYY: String.raw`(?<year>\d{4})`,
  MM: String.raw`(?<month>\d{2})`,
  M: String.raw`(?<month>\d{1,2})`,
  DD: String.raw`(?<day>\d{2})`,
  D: String.raw`(?<day>\d{1,2})`,
};

function patternOf(format: string): RegExp {
  const source = format.replace(
    /YYYY|MM?|DD?|[^YMD]+/g,
    (part) => PARTS[part] ?? part.replace(/[^\w\s]/g, '\\$&'),
  );
  return new RegExp(`^${source}$`);
}
