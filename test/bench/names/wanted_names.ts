import { comparable } from '../../../src/names/similarity.ts';
import { seededRandom } from '../../../src/random.ts';
import type { Company } from '../../support/simulation/registry.ts';

/** A name that a user enters, with the company that the user means. */
export interface WantedName {
  readonly text: string;
  readonly meantId: string;
  readonly spoiltBy: 'nothing' | 'spelling' | 'form';
}

/** Every third name is misspelt or has another legal form. No changed name equals another company's name. */
export function wantedNames(companies: readonly Company[], count: number, seed: number): WantedName[] {
  const random = seededRandom(seed).next;
  const taken = new Set(companies.map(({ name }) => comparable(name)));
  const chosen = new Set<number>();
  while (chosen.size < Math.min(count, companies.length)) chosen.add(Math.floor(random() * companies.length));
  return [...chosen].map((at, rank): WantedName => {
    const { id, name } = companies[at] as Company;
    if (rank % 3 !== 0) return { text: name, meantId: id, spoiltBy: 'nothing' };
    const spoiltBy = rank % 2 === 0 ? 'form' : 'spelling';
    for (let tries = 0; tries < 20; tries++) {
      const text = (spoiltBy === 'form' ? otherForm(name, random) : null) ?? misspelt(name, random);
      if (!taken.has(comparable(text))) return { text, meantId: id, spoiltBy };
    }
    return { text: name, meantId: id, spoiltBy: 'nothing' };
  });
}

const FORMS = ['Limited', 'Ltd', 'Ltd.', 'PLC', 'LLC', 'L.L.C.', 'Inc', 'Company Limited', 'Foundation'];

function otherForm(name: string, random: () => number): string | null {
  const [, core] = /^(.+?),? (limited|ltd\.?|plc|llc|l\.l\.c\.|inc\.?)$/i.exec(name) ?? [];
  return core === undefined ? null : `${core} ${FORMS[Math.floor(random() * FORMS.length)]}`;
}

/** Makes one or two typing errors, which omit, double or replace a letter, or swap it with the next one. */
function misspelt(name: string, random: () => number): string {
  const letters = [...name];
  const slips = random() < 0.7 ? 1 : 2;
  for (let slip = 0; slip < slips; slip++) {
    const at = Math.floor(random() * letters.length);
    const letter = letters[at] ?? '';
    const kind = Math.floor(random() * 4);
    if (kind === 0 && letters.length > 3) letters.splice(at, 1);
    else if (kind === 1) letters.splice(at, 0, letter);
    else if (kind === 2 && at + 1 < letters.length)
      [letters[at], letters[at + 1]] = [letters[at + 1] ?? '', letter];
    else letters[at] = 'aeiourstln'[Math.floor(random() * 10)] ?? 'e';
  }
  return letters.join('');
}
