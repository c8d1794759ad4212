import { describe, expect, it } from 'vitest';
import { unlikelyId } from '../../../src/probe/findings/unknown_id.ts';

describe('an unlikely id', () => {
  it('has as many digits as a known id', () => {
    expect(unlikelyId(['00185647', 'SC123456'])).toMatch(/^\d{8}$/);
  });

  it('differs from a known id that has no digits', () => {
    expect(unlikelyId(['acme-holdings'])).not.toBe('acme-holdings');
  });
});
