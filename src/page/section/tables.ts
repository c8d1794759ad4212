import { CronExpressionParser } from 'cron-parser';
import { count } from '../../report/figures.ts';
import type { FieldChange, NamedChange } from '../../warehouse/page_queries.ts';
import { foreign, type Html, html, type Part } from '../html.ts';
import { roughly, type Times } from '../page_figures.ts';
import type { Overview } from '../page_reader.ts';
import type { PageSettings } from '../page_settings.ts';
import { endingOf } from './state.ts';

/** What differs of late from what was known before. */
export function changesTable({ changes }: Overview, times: Times): Html {
  return listing({
    id: 'changes',
    narrow: 'blocks',
    title: 'What changed lately',
    empty: 'No change was seen yet: changes show when a record is fetched again and differs.',
    head: ['Seen', 'Company', 'Changes'],
    rows: [...Map.groupBy(changes, ({ callId, entityId }) => `${callId} ${entityId}`).values()]
      .slice(0, MOST_COMPANIES)
      .flatMap((own) => (own[0] === undefined ? [] : [changesOfOne(own[0], own, times)])),
  });
}

function changesOfOne(first: NamedChange, own: readonly NamedChange[], times: Times): Part[] {
  return [times.brief(Date.parse(first.observedAt)), companyLink(first), differences(own.toReversed())];
}

/** A name without a visible letter could not be clicked: the id stands for it. */
export function shownName({ entityId, name }: Pick<NamedChange, 'entityId' | 'name'>): string {
  return name !== null && /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? name : entityId;
}

export function companyLink({ entityId, name }: Pick<NamedChange, 'entityId' | 'name'>): Html {
  return html`<a href="/page/company?id=${encodeURIComponent(entityId)}">${foreign(shownName({ entityId, name }))}</a>`;
}

export function runsTable({ runs, working }: Overview, times: Times): Html {
  return listing({
    id: 'runs',
    narrow: 'scrolls',
    title: 'Runs',
    empty: 'Nothing has run yet.',
    head: ['Started', 'Command', 'Took', 'Calls', 'New', 'Changed', 'Gone', 'Quarantined', 'How it ended'],
    numeric: [3, 4, 5, 6, 7],
    rows: runs.map((run, at) => {
      const startedMs = Date.parse(run.startedAt);
      const isRunning = at === 0 && run.ended === null && working !== null;
      return [
        times.brief(startedMs),
        run.command,
        run.endedAt === null ? '–' : roughly(Date.parse(run.endedAt) - startedMs),
        count(run.calls),
        count(run.new),
        count(run.changed),
        count(run.gone),
        count(run.quarantined),
        isRunning ? html`<strong class="running">running</strong>` : endingOf(run),
      ];
    }),
  });
}

export function schedulesTable(
  { jobs: lastRuns, nowMs }: Overview,
  { schedule, jobs }: PageSettings,
  times: Times,
): Html {
  return listing({
    id: 'schedules',
    narrow: 'blocks',
    title: 'Schedules',
    note: html`Kept by <code>registry-mirror worker</code>; <code>sync</code> does the same work from cron or by hand.`,
    empty: '',
    head: ['Work', 'Job', 'Looks', 'Next', 'Due after', 'Last run'],
    rows: jobs.map(({ name, title, pattern, dueMs }) => {
      const last = lastRuns[name] ?? null;
      return [
        title,
        html`<code>${name}</code>`,
        html`<code>${pattern}</code>`,
        times.brief(nextMoment(pattern, schedule.timezone, nowMs)),
        dueMs === null ? '–' : roughly(dueMs),
        last === null ? 'never' : html`${times.brief(Date.parse(last.startedAt))}: ${endingOf(last)}`,
      ];
    }),
  });
}

export function quarantineTable({ quarantine: { count: waiting, latest } }: Overview, times: Times): Html {
  return listing({
    id: 'quarantine',
    narrow: 'blocks',
    title: waiting === 0 ? 'Quarantine' : `Quarantine: ${count(waiting)} waiting`,
    note:
      waiting > 0 &&
      html`Answers that were not understood are kept. Look at them with <code>registry-mirror quarantine list</code>.`,
    empty: 'Nothing waits: every answer was understood.',
    head: ['Since', 'Call', 'Asked for', 'Why', 'Times'],
    numeric: [4],
    rows: latest.map(({ quarantinedAt, kind, target, reason, times: seen }) => [
      times.brief(Date.parse(quarantinedAt)),
      kind,
      foreign(target),
      foreign(reason),
      count(seen),
    ]),
  });
}

interface Listing {
  readonly id: string;
  readonly title: string;
  readonly note?: Part;
  /** What is said where there are no rows. */
  readonly empty: string;
  readonly head: readonly string[];
  /** How it keeps within a phone: its rows become blocks, or it scrolls. */
  readonly narrow: 'blocks' | 'scrolls';
  /** Columns of figures, which stand flush right. */
  readonly numeric?: readonly number[];
  readonly rows: readonly (readonly Part[])[];
}

/** A table that keeps within the page. Its roles are said, because blocks would lose them. */
function listing(listing: Listing): Html {
  const { id, title, note = null, empty, rows } = listing;
  return html`<section class="listing" id="${id}" data-live><h2>${title}</h2>
${note !== null && note !== false && html`<p class="note">${note}</p>`}
${rows.length === 0 ? html`<p class="empty">${empty}</p>` : table(listing)}
</section>`;
}

function table({ title, head, narrow, numeric = [], rows }: Listing): Html {
  const figure = (at: number) => numeric.includes(at) && html` class="figure"`;
  const heads = head.map((name, at) => html`<th role="columnheader" scope="col"${figure(at)}>${name}</th>`);
  const cells = (row: readonly Part[]) =>
    row.map((cell, at) => html`<td role="cell" data-head="${head[at] ?? ''}"${figure(at)}>${cell}</td>`);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="${narrow}" role="table">
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${cells(row)}</tr>`)}</tbody>
</table></div>`;
}

const MOST_COMPANIES = 10;

function nextMoment(pattern: string, timezone: string, nowMs: number): number {
  return CronExpressionParser.parse(pattern, {
    tz: timezone,
    currentDate: new Date(nowMs),
    hashSeed: pattern,
  })
    .next()
    .getTime();
}

/** Field by field, what stood there and what stands there now. */
export function differences(changes: readonly Pick<FieldChange, 'path' | 'before' | 'after'>[]): Html {
  return html`<dl class="differences">${changes.map(
    (one) =>
      html`<div><dt>${one.path === '_gone_at' ? 'the company' : html`<code>${foreign(one.path)}</code>`}</dt><dd>${change(one)}</dd></div>`,
  )}</dl>`;
}

function change({ path, before, after }: Pick<FieldChange, 'path' | 'before' | 'after'>): Html {
  if (path === '_gone_at')
    return after === null
      ? html`<span class="badge fetched">came back to the registry</span>`
      : html`<span class="badge gone">left the registry</span>`;
  return html`${value(before, 'del')} <span aria-hidden="true">→</span><span class="unseen">became</span> ${value(after, 'ins')}`;
}

function value(given: FieldChange['before'], tag: 'del' | 'ins'): Part {
  if (given === null) return html`<span class="nothing">nothing</span>`;
  const text = cut(String(given));
  return tag === 'del' ? html`<del>${foreign(text)}</del>` : html`<ins>${foreign(text)}</ins>`;
}

function cut(text: string): string {
  const characters = [...text.slice(0, LONGEST * 4)];
  return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST).join('')}…`;
}

const LONGEST = 160;
