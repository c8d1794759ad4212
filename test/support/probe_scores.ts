import type { Grade } from './probe_grading.ts';

/** Counts the grades of each finding over many probes. */
export interface GradeCounts {
  count(grades: ReadonlyMap<string, Grade>): void;
  /** Returns the share of the probes in which the finding has the grade. */
  share(topic: string, grade: Grade): number;
  rows(): TopicCounts[];
}

export type TopicCounts = { readonly topic: string } & Readonly<Record<Grade, number>>;

export function openGradeCounts(): GradeCounts {
  const totals = new Map<string, Record<Grade, number>>();
  return {
    count: (grades) => {
      for (const [topic, grade] of grades) {
        const counts = totals.get(topic) ?? { right: 0, open: 0, 'guessed wrong': 0, wrong: 0 };
        counts[grade]++;
        totals.set(topic, counts);
      }
    },
    share: (topic, grade) => {
      const counts = totals.get(topic);
      if (counts === undefined) return 0;
      return counts[grade] / Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    rows: () => [...totals].map(([topic, counts]) => ({ topic, ...counts })),
  };
}

export function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
