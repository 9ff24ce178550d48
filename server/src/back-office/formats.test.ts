import { expect, test } from 'vitest';
import { deliverySeq } from '../orders/order-event.ts';
import { formats } from './formats.ts';

test.each([1, 14, 15, 16, 17])(
  'an id of %d digits is read only if the document allows it',
  (digits) => {
    const id = `del_${'4'.repeat(digits)}`;
    const documented = new RegExp(formats['delivery-id']?.documented.pattern ?? '');
    expect(deliverySeq(id) !== undefined).toBe(documented.test(id));
  },
);
