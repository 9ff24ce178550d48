/** Text of every kind in bodies, paths and filters of the support API, on both engines. What no engine may get is in unstorable-text.long.test.ts. */
import { expect, test } from 'vitest';
import { BACK_OFFICE_ONLY, describeOnEachEngine } from '../testing/engines.ts';
import { PARTNER, PARTNERS, send } from './support-request.ts';

describeOnEachEngine('text', (_start, share) => {
  const shared = share(BACK_OFFICE_ONLY);

  test('in any script is kept as it was sent', async () => {
    const bellhop = shared();
    for (const name of [
      'Ünïcödé',
      '日本語',
      'עברית',
      '👩‍👩‍👧‍👦',
      'a\u00a0b',
      "Robert'); drop table--",
      '%00 \\0',
      '\ufeff',
    ]) {
      const created = await bellhop.support('POST', PARTNERS, { ...PARTNER, name });
      expect([created.status, created.body.name]).toEqual([201, name]);
      const { body } = await bellhop.support('GET', `${PARTNERS}/${created.body.id}`);
      expect(body.name).toBe(name);
    }
  });

  test('is measured in characters: 200 of any size', async () => {
    const { support } = shared();
    for (const character of ['x', 'é', '語', '🧳']) {
      const create = async (length: number) =>
        (await support('POST', PARTNERS, { ...PARTNER, name: character.repeat(length) })).status;
      expect([character, await create(200), await create(201)]).toEqual([character, 201, 422]);
    }
    expect((await support('POST', PARTNERS, { ...PARTNER, name: '' })).status).toBe(422);
  });

  test('may not contain control characters, NUL or lone surrogates', async () => {
    const bellhop = shared();
    const { partnerId } = await bellhop.newKey('production');
    for (const bad of [
      '\0',
      '\u0001',
      '\n',
      '\t',
      '\u001b[31m',
      '\u007f',
      '\ud800',
      '\udc00x',
      'x\ud83e',
    ]) {
      const attempts = [
        ['POST', PARTNERS, { ...PARTNER, name: `a${bad}` }],
        ['PATCH', `${PARTNERS}/${partnerId}`, { name: bad }],
        ['POST', `${PARTNERS}/${partnerId}/certification`, { reference: bad }],
        ['POST', `${PARTNERS}/${partnerId}/keys`, { label: bad }],
        ['POST', '/support/v1/tokens', { name: bad, role: 'viewer' }],
      ] as const;
      for (const [method, path, body] of attempts) {
        const reply = await send(bellhop, path, { method, body: JSON.stringify(body) });
        expect([path, bad, reply.status]).toEqual([path, bad, 422]);
      }
    }
  });

  test('that is not UTF-8 never causes a 500', async () => {
    const bellhop = shared();
    const bytes = Buffer.from(
      JSON.stringify({ ...PARTNER, name: 'x\u0001\u0001' }).replaceAll('\\u0001', '\u0001'),
    );
    // A lone continuation byte, and the first half of a surrogate as CESU-8 would write it.
    const body = new Uint8Array(bytes.map((byte) => (byte === 1 ? 0xbf : byte)));
    const { status } = await send(bellhop, PARTNERS, { body });
    expect([201, 400, 422]).toContain(status);
  });

  test('in the path that no id can contain gets 404, not 500', async () => {
    const bellhop = shared();
    for (const id of ['%00', 'a%00b', '%F0%9F%A7%B3', "'", '..%2f..', '%20', 'x'.repeat(299)]) {
      for (const path of [`${PARTNERS}/${id}`, `/support/v1/production/keys/${id}`]) {
        expect([path, (await send(bellhop, path)).status]).toEqual([path, 404]);
      }
      for (const path of [`/support/v1/tokens/${id}`, `/support/v1/production/keys/${id}`]) {
        const { status } = await send(bellhop, path, { method: 'DELETE' });
        expect([path, status]).toEqual([path, 404]);
      }
    }
  });

  test('in a filter that nothing can match matches nothing, or is refused', async () => {
    const bellhop = shared();
    const audit = '/support/v1/production/audit';
    for (const value of ['%00', 'a%00', '%F0%9F%A7%B3', "'", '']) {
      for (const path of [
        `/support/v1/production/keys?partner_id=${value}`,
        `${audit}?subject=${value}`,
        `${audit}?actor=${value}`,
        `${audit}?action=${value}`,
      ]) {
        const { status, body } = await send(bellhop, path);
        expect([path, status]).toEqual([path, value.includes('%00') ? 422 : 200]);
        if (status === 200) expect(body.items).toEqual([]);
      }
    }
  });
});
