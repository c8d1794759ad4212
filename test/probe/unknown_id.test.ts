import { describe, expect, it } from 'vitest';
import { unlikelyId } from '../../src/probe/record.ts';

describe('an unlikely id', () => {
  it('an unlikely id has as many digits as a known id', () => {
    expect(unlikelyId(['00185647', 'SC123456'])).toMatch(/^\d{8}$/);
  });

  it('an unlikely id differs from a known id without digits', () => {
    expect(unlikelyId(['acme-holdings'])).not.toBe('acme-holdings');
  });
});
