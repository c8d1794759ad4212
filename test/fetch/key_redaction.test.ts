import { describe, expect, test } from 'vitest';
import { openRedaction } from '../../src/fetch/key_redaction.ts';
import { BODY_CHARSETS, KEY_ENCODINGS } from '../support/key_encodings.ts';

const KEY = 'q8+abc/def==~Zx.7_k-19>3';
const redaction = openRedaction([KEY]);

/** A reply that contains the key in a value and in a name. */
function reply(form: string, charset = 'utf-8') {
  const text = `{"id":"C1","na${form}me":"before ${form} after","city":"Bodø"}`;
  const encode = BODY_CHARSETS[charset] ?? Buffer.from;
  return {
    status: 200,
    headers: { 'content-type': `application/json; charset=${charset}` },
    body: encode(text),
  };
}

const toFullWidth = (character: string) => String.fromCharCode(character.charCodeAt(0) + 0xfee0);

describe.each(Object.keys(BODY_CHARSETS))('in %s', (charset) => {
  test.each(Object.entries(KEY_ENCODINGS))('the key is removed from a body: %s', (_, encode) => {
    const form = encode(KEY);
    const cleaned = redaction.reply(reply(form, charset));
    const text = new TextDecoder(charset).decode(cleaned?.body);
    expect(text).not.toContain(form);
    expect(text).toMatch(/^\{"id":"C1","na.*me":"before .* after","city":"Bodø"\}$/);
    expect(text.match(/\[key\]/g)).toHaveLength(2);
  });
});

test.each(Object.entries(KEY_ENCODINGS))('a key as long as a JWT is removed too: %s', (_, encode) => {
  const key = Array.from({ length: 400 }, (_, at) => `${at}-aZ8+/.`).join('');
  const form = encode(key);
  const text = openRedaction([key]).reply(reply(form))?.body.toString('latin1') ?? '';
  expect(text).toMatch(/^\{"id":"C1","na.*\[key\].*me":"before .*\[key\].* after","city":/);
  for (let at = 0; at + 40 <= form.length; at += 7)
    expect(text.includes(form.slice(at, at + 40)), form.slice(at, at + 40)).toBe(false);
});

test.each(Object.entries(KEY_ENCODINGS))(
  'at most the beginning of a key that was cut is kept: %s',
  (_, encode) => {
    const form = encode(KEY);
    const half = form.slice(0, form.length / 2);
    for (const charset of Object.keys(BODY_CHARSETS)) {
      const { body, ...rest } = reply(form, charset);
      for (let bytes = 0; bytes <= body.length; bytes++) {
        const kept =
          redaction.firstBytes({ ...rest, body: body.subarray(0, bytes) })?.body ?? Buffer.alloc(0);
        if (kept.toString('latin1').replaceAll('\0', '').includes(half))
          expect.fail(`${kept.toString()} contains ${half}`);
      }
    }
  },
);

test('the first bytes of a reply without the key stay unchanged', () => {
  const given = { status: 200, headers: {}, body: Buffer.from('{"id":"C1","name":"Ac') };
  expect(redaction.firstBytes(given)).toMatchObject({ body: given.body });
});

test.each([
  ['little', 0],
  ['big', 3],
])('the key is replaced in a UTF-32 body (%s endian), and the body stays in UTF-32', (_title, at) => {
  const encoded = (text: string) =>
    Buffer.concat([...text].map((character) => Buffer.alloc(4).fill(character, at, at + 1)));
  const body = encoded(`{"name":"before ${KEY} after"}`);
  const cleaned = redaction.reply({ status: 200, headers: {}, body });
  expect(cleaned?.body).toEqual(encoded('{"name":"before [key] after"}'));
});

test.each(Object.entries(KEY_ENCODINGS))('the key is removed from a header: %s', (_, encode) => {
  const form = encode(KEY);
  const cleaned = redaction.reply({
    status: 200,
    headers: { 'x-key': `a ${form} b` },
    body: Buffer.from('{}'),
  });
  expect(JSON.stringify(cleaned?.headers)).not.toContain(form);
  expect(cleaned?.headers['x-key']).toContain('[key]');
});

test('a reply without the key stays unchanged', () => {
  const given = {
    status: 200,
    headers: { etag: 'x' },
    body: Buffer.from('{"a":"50 % & \\u00e9 a=b q8+abc/de"}'),
  };
  const cleaned = redaction.reply(given);
  expect(cleaned?.body).toBe(given.body);
  expect(cleaned?.headers).toBe(given.headers);
});

test('a reply is discarded if the key cannot be removed from its body', () => {
  const mixed = KEY.replaceAll('+', '\\u0025252B');
  expect(redaction.reply(reply(mixed))).toBeNull();
});

test.each([
  ['zero-width spaces', (key: string) => [...key].join('\u200b')],
  ['colons', (key: string) => key.replace(/.../g, '$&:')],
  ['full-width characters', (key: string) => key.replace(/./g, toFullWidth)],
  ['punctuation left out', (key: string) => key.replace(/\W/g, '')],
])('a reply is discarded if the key is readable in it: %s', (_, written) => {
  expect(redaction.reply(reply(written(KEY)))).toBeNull();
});

test.each(['canary/5b1f+93=ae7d2c40_68', 'a-key+with%2Fescapes&amp;inside', 'a-key+with\\u0041escapes'])(
  'a reply is discarded if the key looks like an escape sequence and cannot be removed: %s',
  (key) => {
    const mixed = key.replaceAll('+', '\\u0025252B');
    expect(openRedaction([key]).reply(reply(mixed))).toBeNull();
  },
);

test('finding the key in a long body takes linear time', () => {
  const timeOf = (bytes: number) => {
    const body = Buffer.from('%25'.repeat(bytes / 6) + '\\'.repeat(bytes / 4) + '&amp;'.repeat(bytes / 20));
    const before = process.cpuUsage();
    redaction.reply({ status: 200, headers: {}, body });
    return process.cpuUsage(before).user / 1000;
  };
  timeOf(100_000);
  const shortMs = timeOf(100_000);
  expect(timeOf(1_600_000)).toBeLessThan(16 * 8 * Math.max(shortMs, 1));
});
