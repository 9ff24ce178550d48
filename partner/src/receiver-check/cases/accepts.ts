import { accepted } from '../answer.ts';
import type { Case } from '../line.ts';

const ACCEPTED = 'A 2xx status.';
const LONGEST_ID = 256;

export const acceptsCases: Case[] = [
  {
    name: 'data-form',
    group: 'accepts',
    form: 'data',
    title: 'reads the fields under "data"',
    sent: 'A genuine webhook of type "updated", its fields under "data".',
    expected: ACCEPTED,
    why: 'This is how the service writes a webhook by default.',
    fix: 'Read type and partner_order_id from "data". If this is refused with 401, check the API key, how the signature is computed (HMAC-SHA-256 over timestamp and token, in this order, as hexadecimal digits), and the clock of the machine.',
    run: async (sender) => accepted(await sender.post(sender.compose({ form: 'data' }))),
  },
  {
    name: 'flat-form',
    group: 'accepts',
    form: 'flat',
    title: 'reads the fields beside "signature"',
    sent: 'A genuine webhook of type "updated", its fields at the top level beside "signature".',
    expected: ACCEPTED,
    why: 'The specification shows both forms, and asks receivers to accept both.',
    fix: 'If there is no "data", read type and partner_order_id from the top level.',
    run: async (sender) => accepted(await sender.post(sender.compose({ form: 'flat' }))),
  },
  {
    name: 'both-places',
    group: 'accepts',
    form: 'both',
    title: 'reads fields that are in both places',
    sent: 'A genuine webhook of type "updated", its fields under "data" and at the top level too.',
    expected: ACCEPTED,
    why: 'A midoffice can be set up to get both forms at once.',
    fix: 'Do not refuse unexpected fields; use the fields of either place.',
    run: async (sender) => accepted(await sender.post(sender.compose({ form: 'both' }))),
  },
  {
    name: 'created',
    group: 'accepts',
    title: 'accepts the type "created"',
    sent: 'A genuine webhook of type "created".',
    expected: ACCEPTED,
    why: 'Every new order begins with it.',
    fix: 'Handle all three types: created, updated, cancelled. Answer 200 even for an order that you do not know (yet).',
    run: async (sender) =>
      accepted(await sender.post(sender.compose({ event: { type: 'created' } }))),
  },
  {
    name: 'cancelled',
    group: 'accepts',
    title: 'accepts the type "cancelled"',
    sent: 'A genuine webhook of type "cancelled", for an order that was never created.',
    expected: ACCEPTED,
    why: 'Events can arrive out of order, and a cancellation that is refused is sent again for 7 days.',
    fix: 'Handle all three types: created, updated, cancelled. Answer 200 even for an order that you do not know (yet).',
    run: async (sender) =>
      accepted(await sender.post(sender.compose({ event: { type: 'cancelled' } }))),
  },
  {
    name: 'optional-fields',
    group: 'accepts',
    title: 'accepts the optional fields',
    sent: 'A genuine webhook with agreement_number and status. All the others here have neither.',
    expected: ACCEPTED,
    why: 'Webhooks contain these fields only for orders that have them.',
    fix: 'Require neither agreement_number nor status, and accept both, as any text.',
    run: async (sender) =>
      accepted(
        await sender.post(
          sender.compose({ event: { agreementNumber: 'CHECK-2025/17', status: 'completed' } }),
        ),
      ),
  },
  {
    name: 'shortest-id',
    group: 'accepts',
    title: 'accepts an order id of 1 character',
    sent: 'A genuine webhook whose partner_order_id is "x".',
    expected: ACCEPTED,
    why: 'Order ids have 1 to 256 characters.',
    fix: 'Refuse only an empty partner_order_id, not a short one.',
    run: async (sender) =>
      accepted(await sender.post(sender.compose({ event: { partnerOrderId: 'x' } }))),
  },
  {
    name: 'longest-id',
    group: 'accepts',
    title: 'accepts an order id of 256 characters',
    sent: 'A genuine webhook whose partner_order_id has 256 characters of ASCII.',
    expected: ACCEPTED,
    why: 'Order ids have 1 to 256 characters; a shorter column loses orders.',
    fix: 'Allow 256 characters wherever the id is checked or stored.',
    run: async (sender) =>
      accepted(
        await sender.post(
          sender.compose({
            event: { partnerOrderId: sender.newOrderId().padEnd(LONGEST_ID, 'x') },
          }),
        ),
      ),
  },
  {
    name: 'non-ascii-id',
    group: 'accepts',
    title: 'accepts an order id with non-ASCII characters',
    sent: 'A genuine webhook whose partner_order_id has accents, Cyrillic, Japanese and an emoji.',
    expected: ACCEPTED,
    why: 'Partners choose their ids, in any script. The body is UTF-8.',
    fix: 'Read the body as UTF-8, and compute the headers’ signature over the bytes as received.',
    run: async (sender) =>
      accepted(
        await sender.post(
          sender.compose({
            event: { partnerOrderId: `${sender.newOrderId()} é заказ 予約 🛎️` },
          }),
        ),
      ),
  },
  {
    name: 'longest-non-ascii-id',
    group: 'accepts',
    title: 'counts characters, not bytes',
    sent: 'A genuine webhook whose partner_order_id is 256 emoji: 1,024 bytes of UTF-8.',
    expected: ACCEPTED,
    why: 'The length of an id counts characters; bytes and UTF-16 units are up to four times as many.',
    fix: 'Count code points where you check the length, and allow 1,024 bytes where you store it.',
    run: async (sender) =>
      accepted(
        await sender.post(sender.compose({ event: { partnerOrderId: '🛎'.repeat(LONGEST_ID) } })),
      ),
  },
  {
    name: 'redelivery',
    group: 'accepts',
    title: 'accepts the same event again',
    sent: 'A genuine webhook, then the same event (the same webhook-id) with a fresh token.',
    expected: 'A 2xx status both times.',
    why: 'Delivery is at least once: if a reply is lost on the way, the event is sent again. A receiver that fails then gets it again and again for 7 days.',
    fix: 'Store the webhook-id of each processed event. If it comes again, do nothing and answer 200.',
    async run(sender) {
      const event = { partnerOrderId: sender.newOrderId() };
      const webhookId = `event-of-${event.partnerOrderId}`;
      const first = accepted(await sender.post(sender.compose({ event, webhookId })));
      if (!first.passed) return { passed: false, got: `The first time: ${first.got}` };
      const again = accepted(await sender.post(sender.compose({ event, webhookId })));
      return again.passed ? again : { passed: false, got: `The second time: ${again.got}` };
    },
  },
];
