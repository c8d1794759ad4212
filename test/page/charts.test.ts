import { expect, onTestFinished, test } from 'vitest';
import { companies, openMirrored } from '../support/served_mirror.ts';
import { servePage } from '../support/served_page.ts';

test('each chart of results shows its own column', async () => {
  const mirror = await openMirrored({ companies: companies(30) });
  onTestFinished(() => mirror.close());
  await mirror.sync();
  const { db } = mirror.house.warehouse;
  db.prepare('UPDATE _run SET new = 1100, changed = 220, gone = 33').run();
  // Six days ago is often in another calendar week.
  db.prepare("UPDATE _run SET started_at = strftime('%Y-%m-%dT%H:%M:%fZ', started_at, '-6 days')").run();
  const served = await servePage(mirror);
  onTestFinished(() => served.close());
  const page = (await (await fetch(`${served.url}/`)).text()).replace(/<[^>]+>|\s+/g, ' ');
  expect(page).toContain('last 7 days: 1,100 new, 220 changed, 33 gone');
  expect(page).toContain('220 in 7 days  1,100 new companies, 33 gone');
});
