import { expect, test } from 'vitest';
import { plainText } from '../../src/names/plain_text.ts';

test.each([
  ['<mark>Vil</mark>niaus &amp; Co', 'Vilniaus & Co'],
  ['<em class="hl">Acme</em>  Ltd', 'Acme Ltd'],
  ['Euroseco &#038; Sons&#8217; Limited', 'Euroseco & Sons’ Limited'],
  ['B&uuml;rg&#xE9;&nbsp;AG', 'Bürgé AG'],
  ['A &unknown; B &#xD800;', 'A &unknown; B &#xD800;'],
  ['AT&T  <Holding> Ltd', 'AT&T  <Holding> Ltd'],
])('HTML is removed from the name %j', (name, plain) => {
  expect(plainText(name)).toBe(plain);
});
