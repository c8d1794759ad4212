import { counted } from '../../report/figures.ts';
import { html } from '../html.ts';
import type { Section } from './section.ts';

/** Shows the commands to run first while the mirror is empty. */
export const firstStepsSection: Section = {
  id: 'steps',
  title: 'This mirror is empty. Next steps:',
  group: 'summary',
  shownIf: 'empty',
  draw({ snapshot: { allowance }, settings }, { id, title }) {
    const { left: calls } = allowance.scheduled;
    const probe = html`<li><p><code>registry-mirror probe</code></p><p>learns the registry’s API with a few calls and writes the dialect to the configuration.</p></li>`;
    const left = calls !== Infinity && html` Quota left: ${counted(calls, 'call')}.`;
    return html`<article id="${id}"><h2>${title}</h2>
<ol>
${settings.config.dialect === undefined && probe}
<li><p><code>registry-mirror plan</code></p><p>estimates the calls, days and end date of a complete mirror. It uses no calls.${left}</p></li>
<li><p><code>registry-mirror sync</code></p><p>sends the most useful calls that the allowance permits. The next run continues. This page shows the progress.</p></li>
</ol></article>`;
  },
};
