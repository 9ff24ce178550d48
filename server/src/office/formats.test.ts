import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCidr } from '../base/addresses/addresses.ts';
import { deliverySeq } from '../delivery/orders/order-event.ts';
import { ADDRESS_OR_NETWORK, formats } from './formats.ts';

test.each([1, 14, 15, 16, 17])(
  'an id of %d digits is read only if the document allows it',
  (digits) => {
    const id = `del_${'4'.repeat(digits)}`;
    const documented = new RegExp(formats['delivery-id']?.documented.pattern ?? '');
    expect(deliverySeq(id) !== undefined).toBe(documented.test(id));
  },
);

test.each([
  { text: 'Blue Horizon', isName: true },
  { text: 'Café 東京 \u200fشركة 👩‍💻', isName: true },
  ...['\n', '\u0085', '\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069'].map((mark) => ({
    text: `Blue${mark}Horizon`,
    isName: false,
  })),
])('the document and the check agree whether $text is a name', ({ text, isName }) => {
  const { check, documented } = formats.name ?? {};
  expect(check?.(text)).toBe(isName);
  expect(new RegExp(documented?.pattern ?? '', 'u').test(text)).toBe(isName);
});

const network = new RegExp(ADDRESS_OR_NETWORK);

test('everything that the pattern of networks allows is an address or a network', () => {
  fc.assert(
    fc.property(fc.stringMatching(network), (text) => parseCidr(text) !== undefined),
    { numRuns: 2_000 },
  );
});

test('the pattern of networks allows every address and every network', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6());
  const length = fc.option(fc.integer({ min: 0, max: 128 }));
  fc.assert(
    fc.property(address, length, (written, bits) => {
      const text = bits === null ? written : `${written}/${bits}`;
      // IPv4 inside IPv6 only as people and sockets write it.
      fc.pre(!/:.*\./.test(written) || /^::(ffff:)?[0-9.]+$/i.test(written));
      expect([text, network.test(text)]).toEqual([text, parseCidr(text) !== undefined]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['::', true],
  ['::1/128', true],
  ['1::', true],
  ['1:2:3:4:5:6:7::', true],
  ['1:2:3:4:5:6:7:8', true],
  ['::ffff:192.0.2.1/120', true],
  ['1:2:3:4:5:6:7:8:9', false],
  ['1::2::3', false],
  ['192.0.2.256', false],
  ['192.0.2.1/33', false],
  ['01.2.3.4', false],
  ['fe80::1%eth0', false],
  ['localhost', false],
])('%s is %s', (text, isAllowed) => {
  expect([network.test(text), parseCidr(text) !== undefined]).toEqual([isAllowed, isAllowed]);
});
