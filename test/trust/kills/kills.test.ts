import { expect, test } from 'vitest';
import { killRepeatedly } from './killing.ts';
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
