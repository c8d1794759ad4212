import { expect, test } from 'vitest';
import { readBody } from '../../src/dialect/response_body.ts';

test.each(['callback({"Names":[1]})', ' jQuery_1.cb( {"Names":[1]} );\n', '/**/callback({"Names":[1]});'])(
  'the argument of a function call is read as JSON: %s',
  (body) => {
    expect(readBody(Buffer.from(body), 'text/javascript').json).toEqual({ Names: [1] });
  },
);

test.each(['callback("text")', 'callback({"Names":[1]}) + 1', '({"Names":[1]})'])(
  '%s is not JSON',
  (body) => {
    expect(readBody(Buffer.from(body), 'text/javascript').json).toBeUndefined();
  },
);
