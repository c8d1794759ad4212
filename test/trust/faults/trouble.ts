import { ApiProfile } from '../../../src/api/api_profile.ts';
import { type Random, seededRandom } from '../../../src/random.ts';
import { changingRegistry } from '../../../src/sandbox/changing_registry.ts';
import { randomProfile } from '../../../src/sandbox/random_profile.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';

/** What goes wrong beside single answers: all of it drawn by seed. */
export interface Trouble {
  /** How the upstream speaks, before and after. */
  readonly shape: ApiProfile;
  /** How it speaks while its searches deceive. */
  readonly deceiving: ApiProfile;
  readonly clockSkewMs: number;
  /** Companies change, appear and are deleted while they are asked for. */
  readonly changes: boolean;
  /** The path of records moves at this arrival, in the middle of a run; null: it stays. */
  readonly movesAt: number | null;
}

export type TroubleKind = 'deceptions' | 'dialects';

export function drawTrouble(kind: TroubleKind, seed: number, companies: number): Trouble {
  const random = seededRandom(seed * 7919 + 17);
  const profile = kind === 'dialects' ? randomProfile(seed) : plainShape();
  return {
    shape: profile,
    deceiving: { ...profile, search: { ...profile.search, flaws: drawFlaws(random) } },
    clockSkewMs: Math.round((random.next() - 0.5) * 10 * 60_000),
    changes: random.chance(0.7),
    movesAt: random.chance(0.6) ? Math.round(companies * (0.3 + random.next())) : null,
  };
}

function plainShape(): ApiProfile {
  return ApiProfile.parse({ search: { max_size: 50 } });
}

function drawFlaws(random: Random): ApiProfile['search']['flaws'] {
  const honest = { total_off: 0, drift: 0, stuck: false, deaf: false };
  return random.pick([
    honest,
    { ...honest, total_off: random.next() * 2 - 1 },
    { ...honest, drift: 1 + random.below(5) },
    { ...honest, drift: -1 - random.below(5) },
    { ...honest, stuck: true },
    { ...honest, deaf: true },
    { ...honest, drift: random.below(9) - 4, total_off: random.next() - 0.5 },
  ]);
}

/** Brings the trouble about, arrival by arrival. */
export interface Unrest {
  onArrival(nowMs: number): void;
  /** The path of records is back where it was. */
  settle(): Promise<void>;
  /** Searches speak the truth again, and nothing changes any more. */
  end(): Promise<void>;
}

export function startUnrest(sandbox: Sandbox, trouble: Trouble, seed: number): Unrest {
  const registry = changingRegistry(sandbox.companies, {
    rates: { changed: 100, appearing: 40, deleted: 40 },
    newIds: seed % 2 === 0 ? 'top' : 'anywhere',
    seed,
  });
  const { paths } = trouble.shape;
  const moved = { ...trouble.deceiving, paths: { ...paths, entity: `/moved${paths.entity}` } };
  let arrivals = 0;
  let speaking: Promise<void> = Promise.resolve();
  let hasEnded = false;
  const speak = (profile: ApiProfile) => {
    speaking = speaking.then(() => sandbox.useProfile(profile));
    return speaking;
  };
  return {
    onArrival: (nowMs) => {
      if (hasEnded) return;
      arrivals += 1;
      if (trouble.changes) registry.advance(PASSING_MS, nowMs);
      if (arrivals === trouble.movesAt) void speak(moved);
    },
    settle: () => speak(trouble.deceiving),
    end: () => {
      hasEnded = true;
      return speak(trouble.shape);
    },
  };
}

// So much of the registry's time passes with every arrival.
const PASSING_MS = 3_600_000 / 400;
