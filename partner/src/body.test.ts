import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BodyForm, composeBody, isPartnerOrderId, readBody } from './body.ts';

const secure = { signature: 'ab', timestamp: 1574146939, token: 'tok' };
const SECURE = '"signature":{"signature":"ab","timestamp":1574146939,"token":"tok"}';

/** Reads a body of the given top-level members; `signature` is added. */
function read(members: string) {
  return readBody(`{${members}${members ? ',' : ''}${SECURE}}`);
}

function event(members: string) {
  const reading = read(members);
  if (!reading.ok) throw new Error(reading.message);
  return reading.event;
}

function refusal(json: string) {
  const reading = readBody(json);
  return reading.ok ? undefined : reading.message;
}

describe('composeBody', () => {
  const full = {
    status: 'completed',
    agreementNumber: 'AG-7',
    partnerOrderId: 'A-1',
    type: 'updated',
  } as const;
  const FIELDS =
    '"type":"updated","partner_order_id":"A-1","agreement_number":"AG-7","status":"completed"';

  test('data', () => {
    expect(composeBody(full, 'data', secure)).toBe(`{"data":{${FIELDS}},${SECURE}}`);
  });

  test('flat', () => {
    expect(composeBody(full, 'flat', secure)).toBe(`{${FIELDS},${SECURE}}`);
  });

  test('both', () => {
    expect(composeBody(full, 'both', secure)).toBe(`{"data":{${FIELDS}},${FIELDS},${SECURE}}`);
  });

  test('leaves out fields that the event does not have', () => {
    const event = { type: 'created', partnerOrderId: 'A-1', status: undefined } as const;
    expect(composeBody(event, 'data', secure)).toBe(
      `{"data":{"type":"created","partner_order_id":"A-1"},${SECURE}}`,
    );
  });
});

describe('readBody', () => {
  test('reads what composeBody wrote, in any form and with any text', () => {
    const text = fc
      .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 256 })
      .map((units) => String.fromCharCode(...units));
    const anyEvent = fc.record(
      {
        type: fc.constantFrom('created', 'updated', 'cancelled'),
        partnerOrderId: text,
        agreementNumber: text,
        status: text,
      },
      { requiredKeys: ['type', 'partnerOrderId'] },
    );
    const forms = fc.constantFrom<BodyForm>('data', 'flat', 'both');
    fc.assert(
      fc.property(anyEvent, forms, (event, form) => {
        const reading = readBody(composeBody(event, form, secure));
        expect(reading).toEqual({ ok: true, event, secure });
      }),
    );
  });

  test('never throws, for any JSON', () => {
    fc.assert(fc.property(fc.json(), (json) => void readBody(json)));
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (data, signature, type) => {
        readBody(JSON.stringify({ data, signature, type }));
      }),
    );
  });

  test('reads fields that are split between the two places', () => {
    expect(event('"type":"created","data":{"partner_order_id":"A-1","status":"ok"}')).toEqual({
      type: 'created',
      partnerOrderId: 'A-1',
      status: 'ok',
    });
  });

  test('reads the example that gives a status and no type', () => {
    expect(event('"data":{"partner_order_id":"A-1","status":"completed"}')).toEqual({
      type: undefined,
      partnerOrderId: 'A-1',
      status: 'completed',
    });
  });

  test('treats null as absent, and keeps an empty string', () => {
    const members = '"type":"created","partner_order_id":"A-1"';
    expect(event(`${members},"data":null,"agreement_number":null,"status":""`)).toEqual({
      type: 'created',
      partnerOrderId: 'A-1',
      status: '',
    });
  });

  test('refuses contradicting fields in the two places', () => {
    const contradiction =
      '{"data":{"type":"created","partner_order_id":"A-1"},"partner_order_id":"A-2",';
    expect(refusal(`${contradiction}${SECURE}}`)).toBe(
      '"partner_order_id" is given twice, with different values.',
    );
  });

  test('uses the last of repeated keys, like JSON.parse', () => {
    expect(event('"data":{"type":"created","type":"updated","partner_order_id":"A-1"}').type).toBe(
      'updated',
    );
  });

  test('reads nothing from __proto__ in the body or from a polluted prototype', () => {
    const fields = '{"type":"created","partner_order_id":"A-1"}';
    expect(read(`"__proto__":${fields}`).ok).toBe(false);
    expect(read(`"data":{"__proto__":${fields}}`).ok).toBe(false);
    expect(refusal(`{"data":${fields},"__proto__":{${SECURE}}}`)).toBe(
      'The body has no object "signature".',
    );
    Object.assign(Object.prototype, { type: 'cancelled' });
    try {
      expect(read('"partner_order_id":"A-1"').ok).toBe(false);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'type');
    }
    expect(({} as Record<string, unknown>).partner_order_id).toBeUndefined();
  });

  test.each([
    ['', 'The body is not JSON.'],
    ['{', 'The body is not JSON.'],
    ['null', 'The body is not a JSON object.'],
    ['[]', 'The body is not a JSON object.'],
    ['"x"', 'The body is not a JSON object.'],
    ['{}', 'The body has no object "signature".'],
    ['{"signature":[]}', 'The body has no object "signature".'],
    [`{"data":"x",${SECURE}}`, '"data" is not an object.'],
    [`{"data":[],${SECURE}}`, '"data" is not an object.'],
  ])('refuses %s', (json, message) => {
    expect(refusal(json)).toBe(message);
  });

  test.each([
    '"partner_order_id":"A-1"',
    '"type":"deleted","partner_order_id":"A-1"',
    '"type":"deleted","status":"x","partner_order_id":"A-1"',
    '"type":["created"],"partner_order_id":"A-1"',
    '"type":"created"',
    '"type":"created","partner_order_id":""',
    '"type":"created","partner_order_id":1',
    '"type":"created","partner_order_id":"A-1","status":1',
    '"type":"created","partner_order_id":"A-1","agreement_number":{}',
  ])('refuses the fields %s', (members) => {
    expect(read(members).ok).toBe(false);
  });

  test.each(['"1574146939"', '-1', '1.5', '1e400', '1e21', '9007199254740992', 'null', 'true'])(
    'refuses the timestamp %s',
    (timestamp) => {
      const json = `{"type":"created","partner_order_id":"A-1","signature":{"signature":"ab","timestamp":${timestamp},"token":"tok"}}`;
      expect(refusal(json)).toMatch('timestamp');
    },
  );

  test.each(['""', '1', 'null', JSON.stringify('x'.repeat(257))])(
    'refuses the token %s',
    (token) => {
      const json = `{"type":"created","partner_order_id":"A-1","signature":{"signature":"ab","timestamp":1,"token":${token}}}`;
      expect(refusal(json)).toMatch('token');
    },
  );
});

describe('isPartnerOrderId counts characters', () => {
  test.each([
    ['a', true],
    ['', false],
    ['a'.repeat(256), true],
    ['a'.repeat(257), false],
    ['é'.repeat(256), true],
    ['🛎'.repeat(256), true],
    ['🛎'.repeat(257), false],
    [`${'🛎'.repeat(255)}aa`, false],
    // A lone surrogate is one, and must not be paired with its neighbour's half.
    ['\ud800'.repeat(256), true],
    ['\ud800'.repeat(257), false],
    ['a'.repeat(1_000_000), false],
  ])('%#', (value, fits) => {
    expect(isPartnerOrderId(value)).toBe(fits);
  });
});
