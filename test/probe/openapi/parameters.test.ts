import { expect, test } from 'vitest';
import { findSizeParam } from '../../../src/probe/openapi/parameters.ts';

test.each(['max', 'per_page', 'nombre', 'aantal'])(
  'the parameter %s in a document is the page size',
  (name) => {
    const parameter = {
      name,
      in: 'query',
      isRequired: false,
      description: '',
      schema: { type: 'integer' },
    } as const;
    const other = { ...parameter, name: 'employees' };
    expect(findSizeParam([other, parameter])).toMatchObject({ value: { name }, certainty: 'sure' });
  },
);
