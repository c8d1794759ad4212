import { counted } from '../../report/figures.ts';
import { type Html, html } from '../html.ts';
import type { Overview } from '../page_reader.ts';
import type { PageSettings } from '../page_settings.ts';

/** An empty mirror says what to do next, and what it will cost. */
export function firstSteps({ ledger }: Overview, { hasDialect }: PageSettings): Html {
  const probe = html`<li><p><code>registry-mirror probe</code></p><p>learns how the registry’s API speaks, in a handful of calls, and writes it into the configuration.</p></li>`;
  const left =
    ledger.left === Number.POSITIVE_INFINITY ? null : html` ${counted(ledger.left, 'call')} can be spent.`;
  return html`<section class="steps" id="steps" data-live><h2>This mirror is empty. What to do next:</h2>
<ol>
${!hasDialect && probe}
<li><p><code>registry-mirror plan</code></p><p>tells what mirroring would cost: calls, days, a date. It spends nothing.${left}</p></li>
<li><p><code>registry-mirror sync</code></p><p>spends what the allowance permits on what is worth most, and goes on from there the next time. This page shows it as it happens.</p></li>
</ol></section>`;
}
