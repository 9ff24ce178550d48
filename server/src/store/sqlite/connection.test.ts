import { expect, onTestFinished, test } from 'vitest';
import { connect, kyselyOn } from './connection.ts';

test('a statement is compiled once, whatever page it reads', async () => {
  const connection = connect(':memory:');
  const db = kyselyOn<{ item: { id: number } }>(connection);
  onTestFinished(() => db.destroy());
  connection.exec('create table item (id integer primary key); insert into item values (1), (2)');
  let compiled = 0;
  connection.setAuthorizer(() => {
    compiled++;
    return 0;
  });
  const page = (limit: number, offset: number) =>
    db.selectFrom('item').select('id').orderBy('id').limit(limit).offset(offset).execute();
  expect(await page(1, 0)).toEqual([{ id: 1 }]);
  expect(compiled).toBeGreaterThan(0);
  compiled = 0;
  expect(await page(5, 1)).toEqual([{ id: 2 }]);
  expect(compiled).toBe(0);
});
