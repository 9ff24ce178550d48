/** Accepting an event must not become slower with every partner and midoffice. */
import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { allReadsOf, planIn } from '../../../testing/query-plans.ts';
import { describeOnPostgres } from '../../../testing/queue-database.ts';
import { FACTS, INSERT } from './orders.ts';

const MANY = 5_000;

describeOnPostgres('accepting events', (fresh) => {
  test('reads only the partners and midoffices that they name', async () => {
    const { db } = await fresh();
    const run = async (text: string, values: unknown[] = []) =>
      (await db.executeQuery(CompiledQuery.raw(text, values))).rows;
    await run(`insert into grant_set (id, grants) values ('set', '[]')`);
    await run(
      `insert into partner (id, name, integration_started_on, is_new, suspended, created_at)
       select 'par_' || n, 'Partner', '2025-10-01', 1, 0, n from generate_series(1, ${MANY}) n`,
    );
    await run(
      `insert into api_key (key_id, partner_id, sealed_key, digest, disabled, grant_set, created_at)
       values ('key', 'par_1', '', '', 0, 'set', 0)`,
    );
    await run(
      `insert into midoffice (id, name, url, signing_key_id, body_form, delivery_order, max_in_flight,
                              paused, created_at)
       select 'mid_' || n, 'Midoffice', '', 'key', 'data', 'any', 16, 0, n from generate_series(1, ${MANY}) n`,
    );
    await run(`update partner set midoffice_id = replace(id, 'par_', 'mid_')`);
    await run('analyze');
    const values = [['par_1', 'par_2'], ['mid_3'], ['event']];
    const found = (await run(FACTS, values)) as { id: string }[];
    expect(found.map(({ id }) => id).sort()).toEqual(['mid_1', 'mid_2', 'mid_3', 'par_1', 'par_2']);
    const explained = await run(`explain (analyze, format json) ${FACTS}`, values);
    expect(allReadsOf(planIn(explained))).toBeLessThan(50);

    const event = ['event', 'created', 'par_1', 'order', null, null, null, 'mid_1', 1, null];
    const inserted = [...event.map((value) => [value]), [], 0, [null]];
    const facts = [['par_1'], ['mid_1'], ['mid_1'], [false]];
    const explainedInsert = await run(`explain (analyze, format json) ${INSERT}`, [
      ...inserted,
      ...facts,
    ]);
    expect(allReadsOf(planIn(explainedInsert))).toBeLessThan(50);
    expect(await run('select event_id from delivery')).toEqual([{ event_id: 'event' }]);
  });
});
