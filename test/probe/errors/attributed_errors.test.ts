import { describe, expect, it } from 'vitest';
import { attributedErrors } from '../../../src/probe/errors/attributed_errors.ts';
import type { Param } from '../../../src/probe/evidence.ts';

const SENT: Param[] = [
  ['q', 'co'],
  ['name', 'the'],
  ['limit', '1000'],
  ['rows', '7'],
];

describe('errors in a language that the vocabulary lacks', () => {
  it('an error about a parameter that was not sent reports a missing parameter', () => {
    const errors = attributedErrors([{ param: 'nazev', text: 'Toto pole je povinné.' }], SENT);
    expect(errors).toMatchObject({ missing: ['nazev'], unknown: [] });
  });

  it('the same error about three parameters reports unknown parameters', () => {
    const texts = ['q', 'name', 'rows'].map((param) => ({ param, text: `A ${param} mező nem létezik.` }));
    const own = { param: 'limit', text: 'A limit mező értéke túl nagy.' };
    expect(attributedErrors([...texts, own], SENT).unknown).toEqual(['q', 'name', 'rows']);
    expect(attributedErrors(texts.slice(1), SENT).unknown).toEqual([]);
  });

  it('a parameter with an additional error of its own is not unknown', () => {
    const titles = ['q', 'name', 'rows'].map((param) => ({ param, text: 'Chybný parametr' }));
    const own = { param: 'q', text: 'Zadejte 3 až 80 znaků.' };
    expect(attributedErrors([...titles, own], SENT).unknown).toEqual(['name', 'rows']);
  });

  it('a range of lengths states the min query length', () => {
    const minLength = (text: string) => attributedErrors([{ param: null, text }], SENT).minQueryLength;
    expect(minLength('hledat.q: velikost musí být mezi 3 a 80')).toBe(3);
    expect(minLength('hledat.q: velikost musí být mezi 1 a 80')).toBeNull();
    expect(minLength('velikost musí být mezi 3 a 80')).toBeNull();
  });

  it('a smaller number than the value that was sent states the maximum', () => {
    const maximum = (text: string) => attributedErrors([{ param: 'limit', text }], SENT).maximum;
    expect(maximum('Az érték (1000) nem lehet több mint 40.')).toEqual({ param: 'limit', value: 40 });
    expect(maximum('Az érték nem szám.')).toBeNull();
  });
});
