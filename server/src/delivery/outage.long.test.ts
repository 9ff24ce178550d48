/** The database becomes unreachable during deliveries, and comes back. */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithOwnPostgres, describeWithPostgres } from '../../../test/support.ts';
import { databaseAt, Rig } from '../../testing/delivery-rig.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { hang, status } from '../../testing/webhook-receiver.ts';

/** Lets time pass, for what the worker does on timers. */
function letTimePass({ clock }: Rig): void {
  const ticking = setInterval(() => clock.advance(20), 20);
  onTestFinished(() => clearInterval(ticking));
}

describeWithOwnPostgres('an outage of PostgreSQL', (startPostgres) => {
  test('loses no event and no attempt: attempts in flight are settled afterwards', async () => {
    const postgres = await startPostgres();
    const rig = await Rig.open(databaseAt(postgres.url));
    const receiver = await rig.receiver(hang);
    const midoffice = await rig.midoffice(receiver.url, { max_in_flight: 2 });
    await rig.start();
    letTimePass(rig);
    const ids = await rig.accept(midoffice, ['a', 'b', 'c', 'd']);
    await receiver.came(2);

    // Not killed, because its last processes would still answer for a moment.
    await postgres.stop();
    receiver.answerAll(status(200));
    await rig.logged('attempts cannot be recorded; trying again', 2);
    await expect(rig.accept(midoffice, ['refused'])).rejects.toThrow();
    await postgres.restart();
    await rig.settled(4);
    const [e] = await rig.accept(midoffice, ['e']);
    await rig.settled(5);

    expect(await rig.states([...ids, e as string])).toEqual(Array(5).fill('delivered'));
    // None was sent twice, because no lease ended meanwhile.
    expect(receiver.received.map(({ orderId }) => orderId).sort()).toEqual([...'abcde']);
  });

  test('for longer than a lease repeats no attempt that was answered', async () => {
    const postgres = await startPostgres();
    const rig = await Rig.open(databaseAt(postgres.url));
    const receiver = await rig.receiver(hang);
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    const ids = await rig.accept(midoffice, ['a', 'b', 'c']);
    await receiver.came(3);
    await postgres.stop();
    receiver.answerAll(status(200));
    await rig.logged('attempts cannot be recorded; trying again');
    rig.clock.advance(60_000);
    letTimePass(rig);
    await postgres.restart();
    await rig.settled(3);
    await rig.accept(midoffice, ['d']);
    await rig.settled(4);
    expect(await rig.states(ids)).toEqual(Array(3).fill('delivered'));
    expect(receiver.received.map(({ orderId }) => orderId).sort()).toEqual([...'abcd']);
  });

  test('does not prevent a stop', async () => {
    const postgres = await startPostgres();
    const database = databaseAt(postgres.url);
    const rig = await Rig.open(database);
    const receiver = await rig.receiver(hang);
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    const [id] = (await rig.accept(midoffice, ['a'])) as [string];
    await receiver.came(1);
    // Not killed, because its last processes would still answer for a moment.
    await postgres.stop();
    receiver.answerAll(status(200));
    await rig.stop();

    await postgres.restart();
    // Its lease ends, and it is attempted again: delivery is at least once.
    const next = await Rig.open(database, { clock: new ManualClock(rig.clock.now() + 60_000) });
    await next.start();
    await next.settled(1);
    expect(await next.show(id)).toMatchObject({ state: 'delivered', attempts_made: 1 });
    expect(receiver.received).toHaveLength(2);
  });
});

describeWithPostgres('a lost connection for notices', (_empty, databaseWithTables) => {
  test('is replaced, and the worker looks for all work before the next sweep', async () => {
    const url = await databaseWithTables();
    const rig = await Rig.open(databaseAt(url));
    const receiver = await rig.receiver(status(200));
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    const { rows } = await other.query(`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'bellhop production watch'`);
    expect(rows).toHaveLength(1);
    await other.query('select pg_terminate_backend($1)', [rows[0].pid]);
    const gone = 'select 1 from pg_stat_activity where pid = $1';
    while ((await other.query(gone, [rows[0].pid])).rowCount !== 0);
    // No notice arrives, and the clock stands still.
    await rig.accept(midoffice, ['a']);
    await rig.settled(1);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['a']);
  });
});
