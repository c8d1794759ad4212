import { expect, test } from 'vitest';
import { killRepeatedly } from './killing.ts';
import { killBetweenStoreAndProcess } from './stored_kills.ts';
import { VICTIMS, type VictimName } from './victims.ts';

test.each(Object.keys(VICTIMS) as VictimName[])(
  '%s: a kill between two statements or at any other time loses no data, and every call is counted',
  async (command) => {
    const killed = await killRepeatedly({ command, seed: 7, kills: 4, companies: 60 });
    expect(killed).toMatchObject({ command, seed: 7, broken: [] });
    expect(killed.kills).toBeGreaterThan(2);
  },
  600_000,
);

test.each([1, 4])(
  'a sync with %i connections that is killed after storing a response loses no response and repeats no call',
  async (connections) => {
    const killed = await killBetweenStoreAndProcess({ seed: 7, connections, kills: 4, companies: 40 });
    expect(killed).toMatchObject({ kills: 4, between: 4, broken: [] });
  },
  600_000,
);
