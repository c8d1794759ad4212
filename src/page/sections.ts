import { allowanceSection } from './section/allowance.ts';
import { callsSection } from './section/calls.ts';
import { changesSection } from './section/changes.ts';
import { coverageSection } from './section/coverage.ts';
import { discoverySection } from './section/discovery.ts';
import { firstStepsSection } from './section/first_steps.ts';
import { freshnessSection } from './section/freshness.ts';
import { keyFiguresSection } from './section/key_figures.ts';
import { quarantineSection } from './section/quarantine.ts';
import { runsSection } from './section/runs.ts';
import { schedulesSection } from './section/schedules.ts';
import type { Section } from './section/section.ts';
import { stateSection } from './section/state.ts';

/** The sections of the overview, in the order of each group. A new section is one file and one line here. */
export const SECTIONS: readonly Section[] = [
  stateSection,
  firstStepsSection,
  keyFiguresSection,
  coverageSection,
  allowanceSection,
  freshnessSection,
  callsSection,
  discoverySection,
  changesSection,
  quarantineSection,
  runsSection,
  schedulesSection,
];
