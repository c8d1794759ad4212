import { count, counted, duration, localTime } from '../../report/figures.ts';

interface Header {
  readonly name: string;
  readonly value: string;
}

/**
 * Describes the limits in response headers, one line for each limit, such as `10 calls per 1 min, 7 left, resets in
 * 42 s`. A header in an unknown format is shown as it is. A limit that several headers report is shown once.
 */
export function limitsText(headers: readonly Header[]): string {
  const items = headers.flatMap(itemsOf);
  const limits = [...Map.groupBy(items, ({ name }) => name)].map(([name, own]) => ({
    name,
    parts: Object.assign({}, ...own.map(({ parts }) => parts)) as Parts,
  }));
  const isRepeated = ({ name, parts }: (typeof limits)[number]) =>
    name === '' && limits.some((other) => other.name !== '' && isSame(other.parts, parts));
  return [
    'Limits that the responses report. They can lower your allowance, but never raise it:',
    ...limits
      .filter((limit) => !isRepeated(limit))
      .map(({ name, parts }) => `  ${name === '' ? '' : `${name}: `}${partsText(parts)}`),
  ].join('\n');
}

interface Parts {
  readonly limit?: number;
  readonly windowS?: number;
  readonly left?: number;
  /** Seconds from now, epoch seconds or epoch milliseconds. */
  readonly reset?: number;
  readonly asSent?: string;
}

/**
 * Reads a header: a number, or a list such as `"minute";r=7;t=42, "day";r=90` in RateLimit and RateLimit-Policy
 * (draft-ietf-httpapi-ratelimit-headers).
 */
function itemsOf({ name: header, value }: Header): { readonly name: string; readonly parts: Parts }[] {
  const role = PARTS[/(limit|remain|remaining|reset|after)$/.exec(header)?.[1] ?? ''];
  if (role !== undefined && /^\d+$/.test(value)) return [{ name: '', parts: { [role]: Number(value) } }];
  const items = value.split(/,\s*/).map((item) => /^"?([^";=]*)"?((?:;\s*\w+=\d+)+)$/.exec(item));
  if (items.includes(null)) return [{ name: header, parts: { asSent: value } }];
  return items.map((item) => {
    const [, name = '', list = ''] = item ?? [];
    const pairs = [...list.matchAll(/(\w+)=(\d+)/g)].map(([, key = '', number]) => [
      PARTS[key] ?? key,
      Number(number),
    ]);
    return { name, parts: Object.fromEntries(pairs) as Parts };
  });
}

const PARTS: Readonly<Record<string, keyof Parts>> = {
  limit: 'limit',
  q: 'limit',
  w: 'windowS',
  remain: 'left',
  remaining: 'left',
  r: 'left',
  reset: 'reset',
  after: 'reset',
  t: 'reset',
};

function partsText({ limit, windowS, left, reset, asSent }: Parts): string {
  const per = windowS === undefined ? '' : ` per ${duration(windowS * 1000)}`;
  return [
    limit !== undefined && `${counted(limit, 'call')}${per}`,
    left !== undefined && `${count(left)} left`,
    reset !== undefined && resetText(reset),
    asSent ?? false,
  ]
    .filter((part) => part !== false)
    .join(', ');
}

function resetText(value: number): string {
  if (value < MIN_EPOCH_S) return `resets in ${duration(value * 1000)}`;
  return `resets on ${localTime(value < MIN_EPOCH_S * 1000 ? value * 1000 : value)}`;
}

function isSame(one: Parts, other: Parts): boolean {
  return one.limit === other.limit && one.left === other.left;
}

const MIN_EPOCH_S = 1e9;
