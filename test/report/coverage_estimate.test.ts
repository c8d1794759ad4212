import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CoverageEvidence, estimateCoverage } from '../../src/report/coverage_estimate.ts';

const evidence: fc.Arbitrary<CoverageEvidence> = fc.record({
  known: fc.nat(10_000_000),
  registryTotal: fc.option(fc.nat(10_000_000)),
  largestTotal: fc.option(fc.nat(10_000_000)),
  listing: fc.option(
    fc.record({
      rows: fc.nat(10_000_000),
      total: fc.option(fc.nat(10_000_000)),
      checkedRows: fc.nat(200),
      hasSeveralRows: fc.boolean(),
    }),
  ),
});

const NO_EVIDENCE = { registryTotal: null, largestTotal: null, listing: null };

describe('the estimated coverage', () => {
  it('the estimated coverage is an interval whose upper bound is limited by counts and totals', () => {
    fc.assert(
      fc.property(evidence, (given) => {
        const { low, high } = estimateCoverage(given);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeGreaterThanOrEqual(low);
        expect(high).toBeLessThanOrEqual(1);
        for (const size of [given.registryTotal, given.largestTotal])
          if (size !== null && size > given.known)
            expect(high * size).toBeLessThanOrEqual(given.known * (1 + 1e-9));
      }),
    );
  });

  it('the estimated coverage never rises when a search reports a larger total', () => {
    fc.assert(
      fc.property(evidence, fc.nat(20_000_000), (given, total) => {
        const before = estimateCoverage(given);
        const largestTotal = Math.max(total, given.largestTotal ?? 0);
        expect(estimateCoverage({ ...given, largestTotal }).high).toBeLessThanOrEqual(before.high);
      }),
    );
  });

  it('the estimated coverage is the known share of the registry count, if one is reported', () => {
    const given = { ...NO_EVIDENCE, known: 250, registryTotal: 1000 };
    expect(estimateCoverage(given)).toMatchObject({ low: 0.25, high: 0.25, by: 'statistics' });
  });

  it('the estimated coverage has no lower bound without evidence', () => {
    const given = { ...NO_EVIDENCE, known: 250 };
    expect(estimateCoverage(given)).toEqual({
      low: 0,
      high: 1,
      by: 'nothing',
      largestTotal: null,
    });
  });

  it('the estimated coverage ignores a registry count below the number of known companies', () => {
    const given = { ...NO_EVIDENCE, known: 1200, registryTotal: 1000 };
    expect(estimateCoverage(given)).toMatchObject({ low: 0, high: 1, by: 'nothing' });
  });

  it.each<[rows: number, total: number | null, checked: number, isSeveral: boolean, share: number | null]>([
    [520, 520, 0, false, 0.5],
    [520, null, 0, false, 0.5],
    [500, null, 99, false, null],
    [500, 500, 99, false, null],
    [500, 500, 100, false, 0.52],
    [475, 475, 99, false, null],
    [250, 250, 100, false, null],
    [252, 252, 0, false, null],
    [258, 258, 99, false, null],
    [258, 258, 100, false, 1],
    [694, 694, 0, true, 1],
    [420, 694, 0, true, 260 / 534],
    [0, null, 0, false, null],
  ])(
    'a listing of all companies with %j rows of %j, %j of them checked (several per company: %j), shows the share %j',
    (rows, total, checkedRows, hasSeveralRows, share) => {
      const listing = { rows, total, checkedRows, hasSeveralRows };
      const estimate = estimateCoverage({ ...NO_EVIDENCE, known: 260, listing });
      expect(estimate).toMatchObject(
        share === null ? { low: 0, high: 1, by: 'nothing' } : { low: share, high: share, by: 'searches' },
      );
    },
  );

  it('the estimated coverage is at most the known share of the highest total', () => {
    const given = { ...NO_EVIDENCE, known: 250, registryTotal: 200, largestTotal: 1000 };
    expect(estimateCoverage(given)).toMatchObject({ low: 0.25, high: 0.25, by: 'statistics' });
    expect(estimateCoverage({ ...given, registryTotal: null })).toMatchObject({ low: 0, high: 0.25 });
  });
});
