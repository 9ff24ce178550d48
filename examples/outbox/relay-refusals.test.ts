import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { EVENTS, newSender, WEBHOOKS } from '../../server/e2e/webhook-bellhop.ts';
import { Problem } from '../../server/src/resources/problem.ts';
import { ADMIN_TOKEN, startBellhop } from '../../server/testing/bellhop.ts';
import { startReceiver } from '../../server/testing/webhook-receiver.ts';
import { describeWithPostgres, listening } from '../../test/support.ts';
import { newCore, PATIENT } from './core-database.ts';
import { startRelay } from './relay-process.ts';

const PAGE = readFileSync(new URL('../../docs/booking-core/outbox.md', import.meta.url), 'utf8');
const PROXY_BODY_BYTES = 65_536;

describeWithPostgres('the relay of the outbox', (newDatabase) => {
  test('parks only the refused event, waits as told, and repeats what a crash left', async () => {
    const core = await newCore(newDatabase);
    const receiver = await startReceiver();
    const bellhop = await startBellhop(WEBHOOKS);
    const sender = await newSender(bellhop, receiver.url);
    const proxy = await startProxy(bellhop.addresses.backOffice, 1_048_576);
    const relaySettings = {
      OUTBOX_DATABASE_URL: core.url,
      OUTBOX_EVENTS_URL: proxy.url + EVENTS,
      OUTBOX_TOKEN: ADMIN_TOKEN,
    };
    // The transaction on the page, and the same one rolled back.
    await core.addOrder('A-1001', sender);
    const change = sqlOnPage('change-an-order');
    await core.client.query(change.replace('commit;', 'rollback;'));
    expect(await core.waiting()).toBe(0);
    await core.client.query(change);
    const { rows: lag } = await core.client.query(sqlOnPage('show-the-lag'));
    expect([Number(lag[0].waiting), Number(lag[0].oldest_seconds) > 0]).toEqual([1, true]);

    // A crash after Bellhop has stored the event and before the row is deleted.
    await core.client.query('begin; select from order_event_outbox for update');
    const crashing = startRelay(relaySettings);
    await receiver.came(1);
    expect(receiver.received[0]?.json.data).toMatchObject({
      type: 'updated',
      partner_order_id: 'A-1001',
      status: 'confirmed',
    });
    await crashing.end('SIGKILL');
    // Its statement may have reached PostgreSQL already.
    await core.client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'order event relay'`,
    );
    await core.client.query('commit');
    const relay = startRelay(relaySettings);
    expect(await relay.said('sent')).toMatchObject({ events: 1, duplicate: 1 });

    // One event of an unknown partner and one whose id was used before, among good ones.
    const heard = relay.lines.length;
    await core.client.query(
      `begin;
       insert into order_event_outbox (event_id, type, partner_id, partner_order_id) values
         ('good-1', 'created', '${sender.partnerId}', 'B-1'),
         ('unknown-partner', 'created', 'nobody', 'B-1'),
         ('good-2', 'updated', '${sender.partnerId}', 'B-1'),
         ('good-1', 'cancelled', '${sender.partnerId}', 'B-1');
       notify order_event_outbox;
       commit`,
    );
    await expect
      .poll(() => core.parked(), PATIENT)
      .toEqual([
        ['unknown-partner', expect.stringMatching(/^validation_failed: partner_id must/)],
        ['good-1', expect.stringMatching(/^event_id_reused: event_id was accepted before/)],
      ]);
    await receiver.came(3);
    const parked = relay.lines.slice(heard).filter(({ msg }) => msg.startsWith('parked'));
    expect(parked.map(({ level, event_id }) => [level, event_id])).toEqual([
      ['error', 'unknown-partner'],
      ['error', 'good-1'],
    ]);
    const { rows: listed } = await core.client.query(sqlOnPage('list-parked-events'));
    expect(listed.map(({ event_id }) => event_id)).toEqual(['unknown-partner', 'good-1']);
    // Corrected, and sent again, as the page says.
    await core.client.query(
      `update order_event_outbox set partner_id = '${sender.partnerId}' where event_id = 'unknown-partner'`,
    );
    await core.client.query(sqlOnPage('send-a-parked-event-again'));
    await receiver.came(4);
    expect(await core.parked()).toHaveLength(1);

    proxy.isFull = true;
    await core.client.query(change);
    const { reason } = await relay.said('Bellhop accepts no events now');
    expect(reason).toMatch(/^Bellhop answered 503: /);
    proxy.isFull = false;
    await receiver.came(5);
    expect(await relay.end('SIGTERM')).toBe(0);
  });

  test('sends large events in small requests, and parks one that is too large by itself', async () => {
    const core = await newCore(newDatabase);
    const receiver = await startReceiver();
    const bellhop = await startBellhop(WEBHOOKS);
    const sender = await newSender(bellhop, receiver.url);
    const proxy = await startProxy(bellhop.addresses.backOffice, PROXY_BODY_BYTES);
    // 3 bytes for each character: some 6 KB for an event, and 1.2 MB in all.
    await core.client.query(
      `insert into order_event_outbox (event_id, type, partner_id, partner_order_id, status, agreement_number)
       select 'large-' || n, 'created', '${sender.partnerId}', n, repeat('€', 1024), repeat('€', 1024)
       from generate_series(1, 200) as n`,
    );
    await core.client.query(
      `insert into order_event_outbox (event_id, type, partner_id, partner_order_id, status) values
         ('too-large-for-the-proxy', 'created', '${sender.partnerId}', 'C-1', repeat('x', ${2 * PROXY_BODY_BYTES})),
         ('too-large-for-the-relay', 'created', '${sender.partnerId}', 'C-1', repeat('x', 1200000)),
         ('good', 'created', '${sender.partnerId}', 'C-1', 'confirmed')`,
    );
    const relay = startRelay({
      OUTBOX_DATABASE_URL: core.url,
      OUTBOX_EVENTS_URL: proxy.url + EVENTS,
      OUTBOX_TOKEN: ADMIN_TOKEN,
    });
    await expect.poll(() => core.waiting(), PATIENT).toBe(0);
    expect(await core.parked()).toEqual([
      ['too-large-for-the-proxy', expect.stringMatching(/^too_large: Bellhop answered 413/)],
      ['too-large-for-the-relay', expect.stringMatching(/^too_large: .* 1200\d\d\d bytes/)],
    ]);
    for (const line of relay.lines) expect(JSON.stringify(line).length).toBeLessThan(1_000);
    await receiver.came(201);
    expect(receiver.received.at(-1)?.json.data.status).toBe('confirmed');
    // It learns the size once: at first some 1 MB, then half of it each time.
    const refused = proxy.bodyBytes.filter((bytes) => bytes > PROXY_BODY_BYTES);
    expect(refused[0]).toBeLessThanOrEqual(1_048_576);
    expect(refused.length).toBeLessThanOrEqual(6);
    expect(proxy.bodyBytes.length).toBeLessThan(100);
    expect(await relay.end('SIGTERM')).toBe(0);
  });
});

/** As proxies do, it answers 413 to a larger body itself; and in Bellhop's words, while it is to seem full. */
async function startProxy(target: string, mostBytes: number) {
  const proxy = { url: '', bodyBytes: [] as number[], isFull: false };
  const server = createServer(async (asked, reply) => {
    const body = await buffer(asked);
    if (proxy.isFull) {
      const problem = new Problem('too_many_events');
      reply.writeHead(problem.status, { 'retry-after': '1' }).end(JSON.stringify(problem));
      return;
    }
    proxy.bodyBytes.push(body.length);
    if (body.length > mostBytes) {
      reply.writeHead(413, { 'content-type': 'text/html' }).end('<h1>Too large</h1>');
      return;
    }
    const { authorization = '', 'content-type': type = '' } = asked.headers;
    const answer = await fetch(target + asked.url, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body: new Uint8Array(body),
    });
    reply.writeHead(answer.status, { 'content-type': 'application/json' });
    reply.end(await answer.text());
  });
  const at = await listening(server);
  proxy.url = at.url;
  return proxy;
}

function sqlOnPage(name: string): string {
  const found = new RegExp(`^\`\`\`sql ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(PAGE)?.[1];
  if (!found) throw new Error(`docs/booking-core/outbox.md has no block "sql ${name}".`);
  return found;
}
