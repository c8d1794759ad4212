import { expect, test } from 'vitest';
import { killAgainAndAgain } from './killing.ts';
import { VICTIMS, type VictimName } from './victims.ts';

test.each(Object.keys(VICTIMS) as VictimName[])(
  '%s: killed between any two statements and at any moment, nothing is lost and nothing is spent uncounted',
  async (command) => {
    const killed = await killAgainAndAgain({ command, seed: 7, kills: 4, companies: 60 });
    expect(killed).toMatchObject({ command, seed: 7, broken: [] });
    expect(killed.kills).toBeGreaterThan(2);
  },
  60_000,
);
