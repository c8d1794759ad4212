import { allowanceSection } from './section/allowance.ts';
import { callsSection } from './section/calls.ts';
import { changesSection } from './section/changes.ts';
import { coverageSection } from './section/coverage.ts';
import { firstStepsSection } from './section/first_steps.ts';
import { freshnessSection } from './section/freshness.ts';
import { healthSection } from './section/health.ts';
import { quarantineSection } from './section/quarantine.ts';
import { runHistorySection } from './section/run_history.ts';
import { runsSection } from './section/runs.ts';
import { schedulesSection } from './section/schedules.ts';
import type { Section } from './section/section.ts';
import { tilesSection } from './section/tiles.ts';
import { weeklySection } from './section/weekly.ts';

/**
 * The overview's sections. Each group has the same order as on the page. To add a section, add a file and a line to
 * this list.
 */
export const SECTIONS: readonly Section[] = [
  healthSection,
  firstStepsSection,
  tilesSection,
  coverageSection,
  callsSection,
  weeklySection,
  allowanceSection,
  freshnessSection,
  runHistorySection,
  changesSection,
  quarantineSection,
  runsSection,
  schedulesSection,
];
