import { ApiProfile } from '../../../src/api/api_profile.ts';
import { type Random, seededRandom } from '../../../src/random.ts';
import { changingRegistry } from '../../../src/sandbox/changing_registry.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { pagesOf } from '../../support/presets.ts';
import { randomProfile } from '../../support/random_profile.ts';
import { flawed, type SearchFlaws } from '../../support/search_flaws.ts';

/** Random trouble that affects more than one response, such as moved paths and changing companies. */
export interface Trouble {
  /** The upstream's profile after the trouble has ended. */
  readonly profile: ApiProfile;
  /** The flaws in searches before the trouble ends. */
  readonly flaws: SearchFlaws;
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
    flaws: drawFlaws(random),
    clockSkewMs: Math.round((random.next() - 0.5) * 10 * 60_000),
    hasChanges: random.chance(0.7),
    movesAt: random.chance(0.6) ? Math.round(companies * (0.3 + random.next())) : null,
  };
}

function plainProfile(): ApiProfile {
  return ApiProfile.parse({ dialect: { search: { paging: pagesOf(50) } } });
}

function drawFlaws(random: Random): SearchFlaws {
  return random.pick([
    {},
    { totalOff: random.next() * 2 - 1 },
    { drift: 1 + random.below(5) },
    { drift: -1 - random.below(5) },
    { isStuck: true },
    { isDeaf: true },
    { drift: random.below(9) - 4, totalOff: random.next() - 0.5 },
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
    seed,
  });
  const { profile, flaws } = trouble;
  const { paths } = profile;
  const movedProfile = { ...profile, paths: { ...paths, entity: `/moved${paths.entity}` } };
  let arrivals = 0;
  let lastSwitch: Promise<void> = Promise.resolve();
  let hasEnded = false;
  const switchTo = (next: ApiProfile, nextFlaws: SearchFlaws) => {
    lastSwitch = lastSwitch.then(() => sandbox.useProfile(next, flawed(nextFlaws)));
    return lastSwitch;
  };
  return {
    onArrival: (nowMs) => {
      if (hasEnded) return;
      arrivals += 1;
      if (trouble.hasChanges) registry.advance(STEP_MS, nowMs);
      if (arrivals === trouble.movesAt) void switchTo(movedProfile, flaws);
    },
    restorePaths: () => switchTo(profile, flaws),
    end: () => {
      hasEnded = true;
      return switchTo(profile, {});
    },
  };
}

// The simulated time between two requests, during which the registry changes.
const STEP_MS = 3_600_000 / 400;
