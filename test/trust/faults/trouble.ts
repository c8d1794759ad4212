import { ApiProfile } from '../../../src/api/api_profile.ts';
import { type Random, seededRandom } from '../../../src/random.ts';
import { changingRegistry } from '../../../src/sandbox/changing_registry.ts';
import { randomProfile } from '../../../src/sandbox/random_profile.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';

/** Random trouble that affects more than one response, such as moved paths and changing companies. */
export interface Trouble {
  /** The upstream's profile after the trouble has ended. */
  readonly profile: ApiProfile;
  /** The same profile with flaws in its searches. */
  readonly flawedProfile: ApiProfile;
  readonly clockSkewMs: number;
  /** Whether companies change, appear and disappear during the runs. */
  readonly hasChanges: boolean;
  /** The number of the request in a run at which the record path moves, or null if it never moves. */
  readonly movesAt: number | null;
}

export type TroubleKind = 'deceptions' | 'dialects';

export function drawTrouble(kind: TroubleKind, seed: number, companies: number): Trouble {
  const random = seededRandom(seed * 7919 + 17);
  const profile = kind === 'dialects' ? randomProfile(seed) : plainProfile();
  return {
    profile,
    flawedProfile: { ...profile, search: { ...profile.search, flaws: drawFlaws(random) } },
    clockSkewMs: Math.round((random.next() - 0.5) * 10 * 60_000),
    hasChanges: random.chance(0.7),
    movesAt: random.chance(0.6) ? Math.round(companies * (0.3 + random.next())) : null,
  };
}

function plainProfile(): ApiProfile {
  return ApiProfile.parse({ search: { max_size: 50 } });
}

function drawFlaws(random: Random): ApiProfile['search']['flaws'] {
  const none = { total_off: 0, drift: 0, stuck: false, deaf: false };
  return random.pick([
    none,
    { ...none, total_off: random.next() * 2 - 1 },
    { ...none, drift: 1 + random.below(5) },
    { ...none, drift: -1 - random.below(5) },
    { ...none, stuck: true },
    { ...none, deaf: true },
    { ...none, drift: random.below(9) - 4, total_off: random.next() - 0.5 },
  ]);
}

/** Applies the trouble as requests arrive. */
export interface TroubleSchedule {
  onArrival(nowMs: number): void;
  /** Restores the original record path. */
  restorePaths(): Promise<void>;
  /** Removes all injected faults and stops all changes. */
  end(): Promise<void>;
}

export function startTrouble(sandbox: Sandbox, trouble: Trouble, seed: number): TroubleSchedule {
  const registry = changingRegistry(sandbox.companies, {
    rates: { changed: 100, appearing: 40, deleted: 40 },
    newIds: seed % 2 === 0 ? 'top' : 'anywhere',
    seed,
  });
  const { paths } = trouble.profile;
  const movedProfile = { ...trouble.flawedProfile, paths: { ...paths, entity: `/moved${paths.entity}` } };
  let arrivals = 0;
  let lastSwitch: Promise<void> = Promise.resolve();
  let hasEnded = false;
  const switchTo = (profile: ApiProfile) => {
    lastSwitch = lastSwitch.then(() => sandbox.useProfile(profile));
    return lastSwitch;
  };
  return {
    onArrival: (nowMs) => {
      if (hasEnded) return;
      arrivals += 1;
      if (trouble.hasChanges) registry.advance(STEP_MS, nowMs);
      if (arrivals === trouble.movesAt) void switchTo(movedProfile);
    },
    restorePaths: () => switchTo(trouble.flawedProfile),
    end: () => {
      hasEnded = true;
      return switchTo(trouble.profile);
    },
  };
}

// The simulated time between two requests, during which the registry changes.
const STEP_MS = 3_600_000 / 400;
