import { printable } from '../../printable.ts';
import type { ProbeExchange } from '../../probe/exchange.ts';
import type { ReportedFinding } from '../../probe/fields.ts';
import type { Specification } from '../../probe/openapi/specification.ts';
import { reportStatements } from '../../probe/report.ts';
import { count, counted, duration, localTime } from '../../report/figures.ts';
import type { Output } from '../output.ts';

/** Prints one line for each call. The findings follow once, at the end. */
export function narrator(output: Output): (exchange: ProbeExchange) => void {
  let calls = 0;
  return ({ request, status }) => {
    calls++;
    output.note(
      `${String(calls).padStart(2)}  ${output.style('dim', String(status ?? '---'))}  ${request.why}  ${output.style('dim', addressOf(request))}`,
    );
  };
}

export function findingLine(output: Output, { topic, value, certainty, because }: ReportedFinding): string {
  const colour = certainty === 'sure' ? 'green' : certainty === 'likely' ? 'yellow' : 'red';
  return `${topic}: ${output.style('bold', shown(value))} ${output.style(colour, `(${certainty})`)}  ${output.style('dim', because)}`;
}

function shown(value: ReportedFinding['value']): string {
  return value === null ? 'none' : value === '' ? 'the top of the body' : String(value);
}

function addressOf({ path, params }: ProbeExchange['request']): string {
  const few = params.slice(0, 2).map(([name, value]) => `${name}=${value}`);
  const more = params.length > 2 ? `& ${params.length - 2} more` : '';
  return printable(`${path}${few.length === 0 ? '' : `?${few.join('&')}`}${more}`);
}

/** Lists the findings that an OpenAPI document states. */
export function statementsText(output: Output, specification: Specification): string {
  const lines = reportStatements(specification).map((statement) => `  ${findingLine(output, statement)}`);
  return [`From the OpenAPI document "${specification.title}":`, ...lines].join('\n');
}

interface Header {
  readonly name: string;
  readonly value: string;
}

/**
 * Describes the limits in response headers, one line for each limit: `minute: 10 calls per 1 min, 7 left, resets in
 * 42 s`. APIs repeat one of their named limits in headers without a name, so these are shown only if no limit has a
 * name. A header in an unknown format is shown unchanged.
 */
export function limitsText(headers: readonly Header[]): string {
  const limits = [...Map.groupBy(headers.flatMap(partsOf), ({ limit }) => limit)];
  const hasNames = limits.length > 1;
  return [
    'Limits that the responses report. They can lower your allowance, but never raise it:',
    ...limits
      .filter(([limit]) => limit !== '' || !hasNames)
      .map(
        ([limit, parts]) =>
          `  ${limit === '' ? '' : `${limit}: `}${parts
            .map(({ text }) => text)
            .join(', ')
            .replace(', per', ' per')}`,
      ),
  ].join('\n');
}

interface Part {
  /** The limit's name; '' if it has none. */
  readonly limit: string;
  readonly text: string;
}

/**
 * Reads a header: a number, or a list such as `"minute";r=7;t=42, "day";r=90` in RateLimit and RateLimit-Policy
 * (draft-ietf-httpapi-ratelimit-headers).
 */
function partsOf({ name: header, value }: Header): Part[] {
  const describe = MEANINGS[/[a-z]+$/.exec(header)?.[0] ?? ''];
  if (describe !== undefined && /^\d+$/.test(value)) return [{ limit: '', text: describe(Number(value)) }];
  const items = value.split(/,\s*/).map((item) => /^"?([^";=]+)"?((?:;\s*\w+=\d+)+)$/.exec(item));
  if (items.includes(null)) return [{ limit: header, text: value }];
  return items.flatMap((item) => {
    const [, limit = '', list = ''] = item ?? [];
    return [...list.matchAll(/(\w+)=(\d+)/g)].flatMap(([, key = '', number]) => {
      const text = MEANINGS[key]?.(Number(number));
      return text === undefined ? [] : [{ limit, text }];
    });
  });
}

const limitOf = (calls: number) => counted(calls, 'call');
const left = (calls: number) => `${count(calls)} left`;

/** The meaning of a number, by the last word of its header's name or by the name of its parameter. */
const MEANINGS: Readonly<Record<string, (value: number) => string>> = {
  limit: limitOf,
  q: limitOf,
  w: (seconds) => `per ${duration(seconds * 1000)}`,
  remaining: left,
  remain: left,
  r: left,
  reset: resetText,
  t: resetText,
  after: resetText,
};

/** A small number is in seconds from now, and a large one a time in epoch seconds or milliseconds. */
function resetText(value: number): string {
  if (value < MIN_EPOCH_S) return `resets in ${duration(value * 1000)}`;
  return `resets on ${localTime(value < MIN_EPOCH_S * 1000 ? value * 1000 : value)}`;
}

const MIN_EPOCH_S = 1e9;
