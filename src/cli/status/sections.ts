import { isoTime } from '../../clock.ts';
import { localTime } from '../../report/figures.ts';
import type { Output } from '../output.ts';
import { fitted, printable } from '../table.ts';
import { allowanceSection, callsLastHourSection } from './allowance_section.ts';
import { healthSection } from './health_section.ts';
import { completionSection, coverageSection, freshnessSection, warehouseSection } from './mirror_sections.ts';
import { type StatusReadings, type StatusSection, section } from './section.ts';
import {
  backfillSection,
  quarantinedSection,
  runSection,
  waitingSection,
  workerSection,
} from './work_sections.ts';

/** All sections of `status`, in the order in which the JSON keys and the text show them. */
const SECTIONS: readonly StatusSection[] = [
  section({ key: 'source', empty: null, read: ({ config }) => config.source.name, json: (name) => name }),
  section({ key: 'account', empty: null, read: ({ config }) => config.account.id, json: (id) => id }),
  section({ key: 'tier', empty: null, read: ({ config }) => config.account.tier, json: (tier) => tier }),
  section({ key: 'at', empty: null, read: ({ nowMs }) => nowMs, json: isoTime }),
  healthSection,
  coverageSection,
  completionSection,
  freshnessSection,
  warehouseSection,
  callsLastHourSection,
  allowanceSection,
  quarantinedSection,
  waitingSection,
  backfillSection,
  workerSection,
  runSection,
];

/** Returns the `data` object of `status --json`, as documented, and the text for a terminal. */
export function renderStatus(
  readings: StatusReadings,
  output: Output,
): { readonly data: Readonly<Record<string, unknown>>; readonly text: string } {
  const rendered = SECTIONS.map(({ key, render }) => ({ key, ...render(readings, output) }));
  const head = output.mode === 'text' ? headLines(readings, output) : [];
  const lines = [...head, ...rendered.flatMap(({ lines: own }) => own)];
  const tables = rendered.flatMap(({ table }) => table ?? []);
  return {
    data: Object.fromEntries(rendered.map(({ key, json }) => [key, json])),
    text: [lines.map((line) => fitted(line, output.columns * 2)).join('\n'), ...tables].join('\n\n'),
  };
}

function headLines({ config, mirror, nowMs }: StatusReadings, output: Output): string[] {
  const name = output.style('bold', printable(config.source.name));
  const account = `${config.account.id}, ${config.account.tier} tier, ${localTime(nowMs)}`;
  const head = `${name}  ${output.style('dim', account)}`;
  const next = config.dialect === undefined ? 'probe' : 'sync';
  return mirror === null ? [head, `  nothing is mirrored yet; start with: registry-mirror ${next}`] : [head];
}
