import { readFileSync } from 'node:fs';
import { createTokenMaker } from '@bellhop/partner';
import { signWebhook } from '@bellhop/partner/node';
import { expect, test } from 'vitest';
import { OrderEvent } from './order-schemas.ts';

/** JSON needs six bytes for a control character, more than for any other. */
const LARGEST_CHARACTER = '\u0001';
const RECEIVE = new URL('../../../partner/src/receive.ts', import.meta.url);

test('the package for partners says how large a webhook can be', () => {
  const { partner_order_id, agreement_number, status } = OrderEvent.properties;
  const longest = (field: object) => {
    const { maxLength } = field as { maxLength: number };
    return LARGEST_CHARACTER.repeat(maxLength);
  };
  const { body } = signWebhook({
    webhookId: 'evt_1',
    event: {
      type: 'cancelled',
      partnerOrderId: longest(partner_order_id),
      agreementNumber: longest(agreement_number),
      status: longest(status),
    },
    form: 'both',
    timestamp: 1_767_225_600,
    token: createTokenMaker()(),
    bodyKey: '022a2cf1-d279-02f3-9c3c-596aa09b827b',
    headerKeys: [],
  });
  const bytes = Buffer.byteLength(body);
  const [, said] = /a webhook has less than (\d+) KiB/.exec(readFileSync(RECEIVE, 'utf8')) ?? [];
  expect(Number(said)).toBe(Math.ceil(bytes / 1_024));
});
