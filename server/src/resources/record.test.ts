import { expect, test } from 'vitest';
import { describeOnEachDatabase } from '../../testing/queue-database.ts';
import { isChanged, records } from './import/imported-fields.ts';
import { changedRow } from './import/queries.ts';
import { columnsIn } from './record.ts';

describeOnEachDatabase('a record has', (open) => {
  test.each(Object.entries(records))(
    'every column of %s in its table',
    async (_kind, { table: name, fields }) => {
      const { db } = await open();
      const tables = await db.introspection.getTables();
      const columns = tables.find((table) => table.name === name)?.columns.map((one) => one.name);
      expect(
        columnsIn(fields)
          .map(([column]) => column)
          .sort(),
      ).toEqual(columns?.sort());
    },
  );
});

/** Otherwise an import would say that it changed nothing, and drop the field. */
test.each(Object.entries(records))('an import sees a change of any field of %s', (kind, record) => {
  const before = Object.fromEntries(columnsIn(record.fields).map(([column]) => [column, 'a']));
  for (const [column, { isImported = false }] of columnsIn(record.fields)) {
    const after = { ...before, [column]: 'b' };
    const name = kind as keyof typeof records;
    expect([column, isChanged(name, before, after)]).toEqual([column, isImported]);
    const written = changedRow(name, { before, after });
    expect(written[`was_${column}`]).toBe(isImported ? 'a' : undefined);
  }
});
