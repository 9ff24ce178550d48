import { once } from 'node:events';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startPostgresProxy } from '../../../testing/postgres-proxy.ts';
import { createLogger } from '../../base/logging/logger.ts';
import type { Notice } from '../../delivery/queue.ts';
import { Liveness } from './liveness.ts';
import { BoundedPool } from './pool.ts';
import { CHANNEL, workNotices } from './work-notices.ts';

describeWithPostgres('work notices', (_empty, databaseWithTables) => {
  /** Heard through a proxy, on a connection that is asked again and again, as the watch is; sent without it. */
  async function listen() {
    const url = await databaseWithTables();
    const proxy = await startPostgresProxy(url);
    const notices = workNotices();
    const watch = new BoundedPool({
      url: proxy.url,
      name: 'bellhop test',
      connections: 1,
      ...{ waitMs: 1_000, connectMs: 1_000, answerMs: 1_000, statementMs: 1_000 },
      asksInSilence: true,
      liveness: new Liveness(),
      log: createLogger('silent', () => {}),
      onOpened: notices.listenOn,
    });
    const ask = () => watch.query('select 1').then(notices.caughtUp, () => {});
    const asking = setInterval(() => void ask(), 50);
    onTestFinished(async () => {
      clearInterval(asking);
      await watch.close();
    });
    const heard: Notice[] = [];
    const news = new EventTarget();
    notices.subscribe((notice) => {
      heard.push(notice);
      news.dispatchEvent(new Event('heard'));
    });
    const sender = new pg.Client({ connectionString: url });
    await sender.connect();
    onTestFinished(() => sender.end());
    return {
      proxy,
      watch,
      heard,
      notify: (payload: string) => sender.query('select pg_notify($1, $2)', [CHANNEL, payload]),
      async untilHeard(count: number) {
        while (heard.length < count) await once(news, 'heard');
      },
    };
  }

  test('are heard; and whoever begins to listen looks at everything first', async () => {
    const { heard, notify, untilHeard } = await listen();
    await untilHeard(1);
    await notify('work:mid_1,mid_2');
    await notify('something else');
    await notify('changed:mid_3');
    await notify('shards:');
    await untilHeard(4);
    expect(heard).toEqual([
      { kind: 'lost' },
      { kind: 'work', midofficeIds: ['mid_1', 'mid_2'] },
      { kind: 'changed', midofficeIds: ['mid_3'] },
      { kind: 'shards' },
    ]);
  });

  test('are heard again after the connection came to lead nowhere', async () => {
    const { proxy, watch, heard, notify, untilHeard } = await listen();
    await untilHeard(1);
    proxy.swallow();
    await notify('work:lost');
    // Found out, and tried again in vain.
    await once(watch, 'remove');
    proxy.restore();
    await untilHeard(2);
    await notify('work:mid_1');
    await untilHeard(3);
    expect(heard).toEqual([
      { kind: 'lost' },
      { kind: 'lost' },
      { kind: 'work', midofficeIds: ['mid_1'] },
    ]);
    await eventually(
      async () => proxy.connections,
      (connections) => connections === 1,
    );
  });
});
