import { expect, test } from 'vitest';
import { TABLES } from '../../src/warehouse/tables.ts';
import { temporaryWarehouse } from '../support/loader.ts';

test.each(TABLES.map((table) => ({ table, name: table.name })))(
  'the description of $name has the columns, types and key of the table',
  ({ table, name }) => {
    const { db } = temporaryWarehouse();
    const stored = db.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(name) as {
      name: string;
      type: string;
      pk: number;
    }[];
    const byName = new Map(stored.map((column) => [column.name, column]));
    const described = table.properties.map((property) => {
      const { kind } = (table.columns as Record<string, { kind: keyof typeof TYPES }>)[property] ?? {};
      return { name: table.column(property as never), type: kind && TYPES[kind] };
    });
    expect(described).toEqual(
      described.map((column) => ({ name: column.name, type: byName.get(column.name)?.type })),
    );
    const key = stored.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    const isOfOwnKey = key.length === 1 && key[0]?.name === 'known_id';
    if (!isOfOwnKey)
      expect(key.map((column) => column.name)).toEqual(table.key.map((one) => table.column(one as never)));
  },
);

const TYPES = {
  text: 'TEXT',
  integer: 'INTEGER',
  numeric: 'NUMERIC',
  blob: 'BLOB',
  time: 'INTEGER',
  any: '',
};
