import type { Exchange } from './exchange.ts';

/** What the headers of the answers say of limits, as they were sent: the names, and their last values. */
export function limitHeaders(
  exchanges: readonly Exchange[],
): { readonly name: string; readonly value: string }[] {
  const last = new Map<string, string>();
  for (const { headers } of exchanges)
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined && /rate.?limit|quota|retry-after|calls?-remaining/i.test(name))
        last.set(name, value.slice(0, 120));
  return [...last].map(([name, value]) => ({ name, value }));
}
