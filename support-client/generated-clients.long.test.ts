import { expect, test } from 'vitest';
import { listening, temporaryFolder } from '../test/support.ts';
import { clients, whyNot } from './generated-clients.ts';

const SEEN = {
  name: 'Acme Travel',
  certified_at: null,
  label: 'Booking engine',
  grants: 43,
  next_cursor: null,
  outcome: 'queued',
  deliveries: [['BK-1', 'pending', null]],
  problem: 'partner_not_found',
  overview: [43, null, null, 'ok'],
  forwarded: { id: 'test_hotel' },
  refused: 'incorrect_credentials',
};

for (const client of clients) {
  const why = whyNot(client);
  if (why) console.log(`Skipping the client of ${client.name}: ${why}.`);

  test.skipIf(why !== null)(
    `the client of ${client.name} compiles and works`,
    async () => {
      // Not above, because `npm run test:all` loads this file only to skip it.
      const { createEchoUpstream } = await import('../server/src/cli/stub-upstream.ts');
      const { ADMIN_TOKEN, startBellhop } = await import('../server/testing/bellhop.ts');
      const core = createEchoUpstream(() => {});
      const { port } = await listening(core);
      const { addresses, support } = await startBellhop({
        BELLHOP_SANDBOX_UPSTREAM_URL: `http://127.0.0.1:${port}`,
        // Nothing listens there, so the deliveries stay pending.
        BELLHOP_SANDBOX_RETRY_SCHEDULE: '1h',
      });
      const printed = await client.tour(await temporaryFolder(), {
        BACK_OFFICE: addresses.backOffice,
        TOKEN: ADMIN_TOKEN,
        SANDBOX: addresses.sandbox,
        PRODUCTION: addresses.production,
        RECEIVER: 'http://127.0.0.1:9/',
      });
      const { partner_id, ...seen } = JSON.parse(/\{.*\}/.exec(printed)?.[0] ?? printed);
      expect(seen).toEqual(SEEN);
      const stored = await support('GET', `/support/v1/sandbox/partners/${partner_id}`);
      expect(stored.body).toMatchObject({
        name: SEEN.name,
        integration_started_on: '2025-11-01',
        midoffice_id: expect.stringMatching(/^mid_/),
      });
    },
    1_800_000,
  );
}
