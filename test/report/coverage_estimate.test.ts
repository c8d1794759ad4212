import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/random.ts';
import { type CoverageEvidence, estimateCoverage } from '../../src/report/coverage_estimate.ts';

const page = fc
  .record({ rows: fc.nat(100), new: fc.nat(100) })
  .map(({ rows, new: unseen }) => ({ rows, new: Math.min(rows, unseen) }));
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
  pages: fc.array(page, { maxLength: 60 }),
});

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
    const given = { known: 250, registryTotal: 1000, largestTotal: null, listing: null, pages: [] };
    expect(estimateCoverage(given)).toMatchObject({ low: 0.25, high: 0.25, by: 'statistics' });
  });

  it('the estimated coverage has no lower bound without evidence', () => {
    const given = { known: 250, registryTotal: null, largestTotal: null, listing: null, pages: [] };
    expect(estimateCoverage(given)).toEqual({
      low: 0,
      high: 1,
      by: 'nothing',
      largestTotal: null,
      recaptured: null,
    });
  });

  it('the estimated coverage ignores a registry count below the number of known companies', () => {
    const given = { known: 1200, registryTotal: 1000, largestTotal: null, listing: null, pages: [] };
    expect(estimateCoverage(given)).toMatchObject({ low: 0, high: 1, by: 'nothing' });
  });

  it.each([
    [
      { rows: 520, total: 520, checkedRows: 0 },
      { low: 0.5, high: 0.5, by: 'searches' },
    ],
    [
      { rows: 520, total: null, checkedRows: 0 },
      { low: 0.5, high: 0.5, by: 'searches' },
    ],
    [
      { rows: 500, total: null, checkedRows: 99 },
      { low: 0, high: 1, by: 'nothing' },
    ],
    [
      { rows: 500, total: 500, checkedRows: 99 },
      { low: 0, high: 1, by: 'nothing' },
    ],
    [
      { rows: 500, total: 500, checkedRows: 100 },
      { low: 0.52, high: 0.52, by: 'searches' },
    ],
    [
      { rows: 475, total: 475, checkedRows: 99 },
      { low: 0, high: 1, by: 'nothing' },
    ],
    [
      { rows: 250, total: 250, checkedRows: 100 },
      { low: 0, high: 1, by: 'nothing' },
    ],
    [
      { rows: 252, total: 252, checkedRows: 0 },
      { low: 0, high: 1, by: 'nothing' },
    ],
    [
      { rows: 258, total: 258, checkedRows: 99 },
      { low: 0, high: 1, by: 'nothing' },
    ],
    [
      { rows: 258, total: 258, checkedRows: 100 },
      { low: 1, high: 1, by: 'searches' },
    ],
    [
      { rows: 694, total: 694, checkedRows: 0, hasSeveralRows: true },
      { low: 1, high: 1, by: 'searches' },
    ],
    [
      { rows: 420, total: 694, checkedRows: 0, hasSeveralRows: true },
      { low: 260 / 534, high: 260 / 534, by: 'searches' },
    ],
    [
      { rows: 0, total: null, checkedRows: 0 },
      { low: 0, high: 1, by: 'nothing' },
    ],
  ])('the estimated coverage with the listing of all companies %j is %j', (listing, expected) => {
    const given = {
      known: 260,
      registryTotal: null,
      largestTotal: null,
      listing: { hasSeveralRows: false, ...listing },
      pages: [],
    };
    expect(estimateCoverage(given)).toMatchObject(expected);
  });

  it('the estimated coverage has no lower bound if searches found only known companies', () => {
    const pages = Array.from({ length: 400 }, () => ({ rows: 10, new: 0 }));
    const given = { known: 42, registryTotal: null, largestTotal: null, listing: null, pages };
    expect(estimateCoverage(given)).toMatchObject({ low: 0, by: 'nothing' });
  });

  it('the estimated coverage is at most the known share of the highest total', () => {
    const given = { known: 250, registryTotal: 200, largestTotal: 1000, listing: null, pages: [] };
    expect(estimateCoverage(given)).toMatchObject({ low: 0.25, high: 0.25, by: 'statistics' });
    expect(estimateCoverage({ ...given, registryTotal: null })).toMatchObject({ low: 0, high: 0.25 });
  });

  it('the estimated coverage follows the recapture formula, and ignores empty pages', () => {
    const recaptured = (pages: CoverageEvidence['pages']) =>
      estimateCoverage({ known: 1, registryTotal: null, largestTotal: null, listing: null, pages });
    const [allNew, allKnown] = [
      { rows: 10, new: 10 },
      { rows: 10, new: 0 },
    ];
    const even = Array.from({ length: 10 }, () => ({ rows: 10, new: 5 }));
    expect(recaptured([...even.slice(1), { rows: 0, new: 0 }]).recaptured).toBe(null);
    expect(recaptured(even)).toEqual({
      ...{ low: 0, high: 1, by: 'nothing', largestTotal: null },
      recaptured: { low: 0.2, high: 0.8, pages: 10 },
    });
    // p = 50 / 100, s = √(10 / 9 · 10 · 5²) / 100 = 1 / 6
    const uneven = Array.from({ length: 5 }, () => [allNew, allKnown]).flat();
    expect(recaptured(uneven).recaptured?.low).toBeCloseTo(0.5 - 1.96 / 6, 9);
    expect(recaptured(uneven).recaptured?.high).toBeCloseTo(0.5 + 1.96 / 6, 9);
    const low = Array.from({ length: 10 }, () => allNew);
    expect(recaptured(low).recaptured).toMatchObject({ low: 0, high: 0.3 });
  });

  it("the estimated coverage's interval contains the true share in 95% of recapture simulations with clustered pages", () => {
    const draw = seededRandom(11);
    let held = 0;
    const rounds = 400;
    for (let round = 0; round < rounds; round++) {
      const share = 0.3 + 0.65 * draw.next();
      const pages = Array.from({ length: 60 }, () => {
        // The known share differs between pages.
        const own = Math.min(1, Math.max(0, share + 0.2 * (draw.next() - 0.5)));
        const rows = 20;
        const unseen = Array.from({ length: rows }, () => draw.next()).filter((one) => one > own).length;
        return { rows, new: unseen };
      });
      const { recaptured } = estimateCoverage({
        known: 1,
        registryTotal: null,
        largestTotal: null,
        listing: null,
        pages,
      });
      if (recaptured !== null && recaptured.low <= share && share <= recaptured.high) held++;
    }
    expect(held / rounds).toBeGreaterThanOrEqual(0.93);
  });
});
