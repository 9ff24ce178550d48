import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler } from 'kysely';
import { expect, test } from 'vitest';
import { type KeptStatement, Recording, sizeOf } from './kept-change.ts';

test('a change that is kept takes little more memory than its text', async () => {
  await kept(1);
  const before = heapAfterCollection();
  const statements = await kept(40);
  const taken = heapAfterCollection() - before;
  // As many bytes as characters in the text, and as many again beside it.
  expect(taken).toBeLessThan(2 * statements.reduce((sum, one) => sum + sizeOf(one), 0));
  expect(statements).toHaveLength(40);
});

async function kept(changes: number): Promise<KeptStatement[]> {
  const statements: KeptStatement[] = [];
  for (let change = 0; change < changes; change++) {
    const recording = new Recording();
    const db = unconnected().withPlugin(recording);
    const rows = Array.from({ length: 500 }, (_, i) => ({ id: i, midoffice_id: 7, due_at: i }));
    await db.insertInto('delivery').values(rows).execute();
    statements.push(...recording.statements(db.getExecutor()));
  }
  return statements;
}

function unconnected(): Kysely<{
  delivery: { id: number; midoffice_id: number; due_at: number };
}> {
  return new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: () => {
        throw new Error('nothing to look into');
      },
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  return process.memoryUsage().heapUsed;
}
