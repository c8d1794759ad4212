import { isoTime } from '../../clock.ts';
import { localTime } from '../../report/figures.ts';
import { type HealthState, healthSentence } from '../../report/health.ts';
import type { Output } from '../output.ts';
import { printable } from '../table.ts';
import { section } from './section.ts';

/** Shows the mirror's health, with a remedy for each problem. */
export const healthSection = section({
  key: 'health',
  empty: null,
  read: ({ health }) => health,
  json: ({ state, problems, waitsUntilMs }) => ({
    state,
    problems,
    waits_until: waitsUntilMs === null ? null : isoTime(waitsUntilMs),
  }),
  lines(health, { output }) {
    const { state, problems } = health;
    const [first, ...others] = problems;
    const headline = output.style(STYLES[state], printable(healthSentence(health, localTime)));
    return [
      `  health     ${headline}`,
      ...(first === undefined ? [] : [remedyLine(first.remedy, output)]),
      ...others.flatMap(({ cause, remedy }) => [
        `             ${output.style(STYLES.needs_you, printable(cause))}`,
        remedyLine(remedy, output),
      ]),
    ];
  },
});

function remedyLine(remedy: string, output: Output): string {
  return `             ${remedy.replace(/`([^`]*)`/g, (_, command: string) => output.style('bold', command))}`;
}

const STYLES = {
  needs_you: 'red',
  working: 'cyan',
  waiting: 'yellow',
  empty: 'yellow',
  healthy: 'green',
} as const satisfies Record<HealthState, string>;
