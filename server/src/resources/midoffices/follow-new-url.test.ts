/** Whoever changes where a partner's webhooks go, and however: the partner is told once. */
import type { KyselyPlugin } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { describeOnEachStore, Rig } from '../../../testing/delivery-rig.ts';
import { newestAudit } from '../audit/queries.ts';
import { revertChange } from '../audit/revert.ts';
import { listOwnNotices } from '../notices/notices.ts';
import { updatePartner } from '../partners/change-partner.ts';
import { updateMidoffice } from './change-midoffice.ts';
import { followNewUrls } from './follow-new-url.ts';

const ANN = 'Ann (tok_1)';
const at = (port: number) => `http://127.0.0.1:${port}/hook`;

describeOnEachStore('a partner is told where its webhooks go', (newDatabase) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.open(await newDatabase(), { atEnd: () => {} });
    return () => rig.close();
  });

  /** The notices of a partner since the last call, newest first. */
  function listener(partnerId: string) {
    let heard = 0;
    return async () => {
      const { items } = await listOwnNotices(rig.environment, partnerId, {});
      const news = items.slice(0, items.length - heard);
      heard = items.length;
      return news.map(({ subject, text }) => `${subject}: ${text}`);
    };
  }
  const now = (host: string) => [
    expect.stringContaining(
      `Your webhooks go to another URL: API support changed the URL of your receiver. Webhooks now go to ${host}.`,
    ),
  ];
  const none = [expect.stringContaining('Your webhooks have no URL any more: API support removed')];

  test('when it gets another midoffice, has it back, or has none any more', async () => {
    const { environment } = rig;
    const { id: first, partnerId } = await rig.midoffice(at(9));
    const { id: second } = await rig.midoffice(at(10));
    const { id: sameUrl } = await rig.midoffice(at(10));
    const news = listener(partnerId);
    const assign = async (midoffice_id: string | null) => {
      rig.clock.advance(1);
      await updatePartner(environment, ANN, partnerId, { midoffice_id });
    };
    // Its first one is no news.
    expect(await news()).toEqual([]);
    await assign(second);
    expect(await news()).toEqual(now('127.0.0.1:10'));
    const [moved] = await newestAudit(rig.store.db, { limit: 1 }, { subject: partnerId });
    await assign(sameUrl);
    await assign(second);
    expect(await news()).toEqual([]);
    rig.clock.advance(1);
    await revertChange(environment, ANN, moved?.id ?? '');
    expect(await news()).toEqual(now('127.0.0.1:9'));
    await updatePartner(environment, ANN, partnerId, { name: 'Renamed', midoffice_id: first });
    expect(await news()).toEqual([]);
    await assign(null);
    expect(await news()).toEqual(none);
    await assign(first);
    expect(await news()).toEqual([]);
  });

  test('when its midoffice has another URL', async () => {
    const { id, partnerId } = await rig.midoffice(at(9));
    const news = listener(partnerId);
    await updateMidoffice(rig.environment, ANN, id, { url: at(11) });
    await updateMidoffice(rig.environment, ANN, id, { name: 'Renamed' });
    expect(await news()).toEqual(now('127.0.0.1:11'));
  });

  test('by few statements where many midoffices are changed at once', async () => {
    const changed: { id: string; before: string; after: string }[] = [];
    const told: string[] = [];
    for (let n = 0; n < 5; n++) {
      const { id, partnerId } = await rig.midoffice(at(9));
      changed.push({ id, before: at(9), after: at(12) });
      told.push(partnerId);
    }
    let statements = 0;
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        statements++;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    await followNewUrls(rig.store.db.withPlugin(counting), ANN, changed, rig.clock.now());
    // Their pending URLs, their partners, and the notices.
    expect(statements).toBe(3);
    for (const partnerId of told) expect(await listener(partnerId)()).toEqual(now('127.0.0.1:12'));
  });
});
