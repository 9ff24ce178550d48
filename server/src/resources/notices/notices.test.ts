/** The list of notices over all partners, narrowed by what support looks for. */
import { beforeAll, expect, test } from 'vitest';
import { describeOnEachStore, Rig } from '../../../testing/delivery-rig.ts';
import { type NoticeKind, newNotice } from '../../notices/kinds.ts';
import { newMail } from '../../store/mails.ts';
import { insertNotices } from '../../store/notices.ts';
import type { MailRow } from '../../store/schema.ts';
import { createPartner } from '../partners/change-partner.ts';
import { listNotices } from './notices.ts';
import { insertMail } from './queries.ts';

type Query = Parameters<typeof listNotices>[1];

const WAITING = { due_at: 1 };
const SENT = { due_at: null, sent_at: 1 };
const GIVEN_UP = { due_at: null, last_error: '550 no such user' };

describeOnEachStore('the list of notices', (newDatabase) => {
  let rig: Rig;
  const partnerIds: string[] = [];
  beforeAll(async () => {
    rig = await Rig.open(await newDatabase(), { atEnd: () => {} });
    for (const name of ['Ann', 'Bob']) {
      const partner = { name, integration_started_on: '2025-11-01', is_new: false };
      partnerIds.push((await createPartner(rig.environment, 'test', partner)).id);
    }
    const [ann = '', bob = ''] = partnerIds;
    // Oldest first.
    await tell(ann, 'key_rotated', [SENT, GIVEN_UP]);
    await tell(bob, 'key_rotated', []);
    await tell(bob, 'url_changed', [WAITING, WAITING]);
    await tell(ann, 'url_changed', [GIVEN_UP, GIVEN_UP]);
    await tell(bob, 'url_changed', [SENT]);
    // The mail that asks for a confirmation is not about a notice.
    await insertMail(rig.store.db, newMail({ partner_id: ann, recipient: 'a' }, rig.clock.now()));
    return () => rig.close();
  });

  async function tell(
    partnerId: string,
    kind: NoticeKind & ('key_rotated' | 'url_changed'),
    mails: Partial<MailRow>[],
  ): Promise<void> {
    rig.clock.advance(1);
    const { db } = rig.store;
    const now = rig.clock.now();
    const about = { key_id: '1', midoffice_id: 'mid_1', host: 'a.example', by: 'support' } as const;
    const notice = newNotice(partnerId, kind, about, now);
    await insertNotices(db, [notice]);
    for (const [n, state] of mails.entries()) {
      const what = { partner_id: partnerId, notice_id: notice.id, recipient: `${n}@a.example` };
      await insertMail(db, { ...newMail(what, now), ...state });
    }
  }

  /** Every page of it: whose, which, and what became of its mails. */
  async function listed(query: Query): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listNotices(rig.environment, { ...query, limit: 1, cursor });
      for (const { partner_name, kind, mails } of page.items) {
        found.push([partner_name, kind, ...mails.map(({ state }) => state)].join(' '));
      }
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    const whole = await listNotices(rig.environment, query);
    expect(whole.items).toHaveLength(found.length);
    return found;
  }

  const [bobSent, annGivenUp, bobWaiting, bobNobody, annHalf] = [
    'Bob url_changed sent',
    'Ann url_changed given_up given_up',
    'Bob url_changed waiting waiting',
    'Bob key_rotated',
    'Ann key_rotated sent given_up',
  ] as const;

  test('has those of all partners, newest first, page by page', async () => {
    expect(await listed({})).toEqual([bobSent, annGivenUp, bobWaiting, bobNobody, annHalf]);
  });

  const cases: [string, (ids: string[]) => Query, string[]][] = [
    ['a partner', ([, bob]) => ({ partner_id: bob }), [bobSent, bobWaiting, bobNobody]],
    ['a kind', () => ({ kind: 'key_rotated' }), [bobNobody, annHalf]],
    [
      'a kind of a partner',
      ([, bob]) => ({ partner_id: bob, kind: 'url_changed' }),
      [bobSent, bobWaiting],
    ],
    ['a mail that waits', () => ({ mail: 'waiting' }), [bobWaiting]],
    ['a mail that was given up, once each', () => ({ mail: 'given_up' }), [annGivenUp, annHalf]],
    ['the same of a kind', () => ({ mail: 'given_up', kind: 'key_rotated' }), [annHalf]],
    [
      'the same of a partner',
      ([ann]) => ({ mail: 'given_up', partner_id: ann }),
      [annGivenUp, annHalf],
    ],
    ['the same of another partner', ([, bob]) => ({ mail: 'given_up', partner_id: bob }), []],
    [
      'all of it at once',
      ([ann]) => ({ mail: 'given_up', partner_id: ann, kind: 'url_changed' }),
      [annGivenUp],
    ],
  ];
  test.each(cases)('is narrowed to %s', async (_, query, expected) => {
    expect(await listed(query(partnerIds))).toEqual(expected);
  });
});
