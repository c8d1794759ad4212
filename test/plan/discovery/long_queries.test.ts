import { expect, it } from 'vitest';
import { KeySpace } from '../../../src/plan/discovery/key_space.ts';
import { START_MS } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

// In names of many scripts, thousands of characters can follow each other.
const NAMES = ['株式会社東洋堂製作所', 'северное сияние', 'zähringer brauerei', 'νέα εταιρεία αθηνών'];

it.each(['prefix', 'substring'] as const)(
  'queries of at least eight characters are taken from known names (%s)',
  (rule) => {
    const space = new KeySpace('name', rule, 8, new MemoryMirror(START_MS));
    for (const name of NAMES) space.add(name);
    const offered = space.extensions('', () => false).offered.map(({ text }) => text);
    expect(offered).toContain('zähringe');
    expect(offered.every((text) => [...text].length >= 8)).toBe(true);
  },
);
