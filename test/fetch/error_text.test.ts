import { expect, test } from 'vitest';
import { errorText } from '../../src/fetch/send.ts';

test.each([
  ['a message that names the code', coded('ECONNRESET', 'read ECONNRESET'), 'read ECONNRESET'],
  ['a message without the code', coded('EPROTO', 'wrong version number'), 'EPROTO: wrong version number'],
  ['no code', new Error('socket hang up'), 'socket hang up'],
  ['a code that is not text', Object.assign(new Error('closed'), { code: 7 }), 'closed'],
  ['no Error object', 'ECONNRESET', 'unknown error'],
])('the description of a network error with %s is short', (_, error, text) => {
  expect(errorText(error)).toBe(text);
});

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
