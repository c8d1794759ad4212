import { type Call, FIRST_PAGE } from '../../call.ts';
import type { ProbeRequest } from './exchange.ts';

/** A call that carries its own address, because no dialect can write it yet. */
export type ProbeCall = Call & { readonly probe: ProbeRequest };

export function probeCall(probe: ProbeRequest): ProbeCall {
  const planned = { reason: probe.why, expected: 0, probe };
  switch (probe.kind) {
    case 'stats':
      return { kind: 'stats', ...planned };
    case 'entity':
      return { kind: 'entity', entityId: decodeURIComponent(probe.path.split('/').at(-1) ?? ''), ...planned };
    case 'search':
      return {
        kind: 'search',
        query: { by: 'name', text: probe.params[0]?.[1] ?? '' },
        page: FIRST_PAGE,
        ...planned,
      };
  }
}

export function isProbeCall(call: Call): call is ProbeCall {
  return 'probe' in call;
}

export function urlOfProbe(origin: string, { path, params }: ProbeRequest): URL {
  const url = new URL(origin + path);
  for (const [name, value] of params) url.searchParams.append(name, value);
  return url;
}

/** The text of a probe in `_call.target`. */
export function targetOfProbe(origin: string, probe: ProbeRequest): string {
  return `${probe.kind} ${urlOfProbe(origin, probe).href}`;
}

/** Reads a target back; null where it is of another host. */
export function probeOfTarget(origin: string, target: string, why: string): ProbeRequest | null {
  const space = target.indexOf(' ');
  const kind = target.slice(0, space);
  if ((kind !== 'stats' && kind !== 'search' && kind !== 'entity') || !URL.canParse(target.slice(space + 1)))
    return null;
  const url = new URL(target.slice(space + 1));
  return url.origin === origin ? { kind, path: url.pathname, params: [...url.searchParams], why } : null;
}
