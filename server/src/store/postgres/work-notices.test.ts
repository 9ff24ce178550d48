import { once } from 'node:events';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startPostgresProxy } from '../../../testing/postgres-proxy.ts';
import type { Notice } from '../../delivery/queue.ts';
import { createLogger } from '../../logging/logger.ts';
import { connectionClass } from './connection.ts';
import { Liveness } from './liveness.ts';
import { CHANNEL, listenForWork } from './work-notices.ts';

describeWithPostgres('work notices', (_empty, databaseWithTables) => {
  /** Heard through a proxy, sent without it. */
  async function listen() {
    const url = await databaseWithTables();
    const proxy = await startPostgresProxy(url);
    const Connection = connectionClass({ connectMs: 1_000, answerMs: 1_000 }, new Liveness());
    const lines: string[] = [];
    const notices = listenForWork({
      newConnection: () => new Connection({ connectionString: proxy.url }),
      log: createLogger('warn', (line) => lines.push(line)),
      checkMs: 50,
      reconnectMs: 20,
    });
    onTestFinished(() => notices.close());
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
      lines,
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
    const { proxy, lines, heard, notify, untilHeard } = await listen();
    await untilHeard(1);
    proxy.swallow();
    await notify('work:lost');
    // Found out, and tried again in vain, but told once.
    await eventually(
      async () => lines.length,
      (count) => count > 0,
    );
    proxy.restore();
    await untilHeard(2);
    await notify('work:mid_1');
    await untilHeard(3);
    expect(heard).toEqual([
      { kind: 'lost' },
      { kind: 'lost' },
      { kind: 'work', midofficeIds: ['mid_1'] },
    ]);
    expect(lines.filter((line) => line.includes('work notices'))).toHaveLength(1);
    await eventually(
      async () => proxy.connections,
      (connections) => connections === 1,
    );
  });
});
