/** Links of the portal sign people in and confirm addresses, so the log has no piece of one, whatever goes wrong. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshFolder, Rig } from '../../testing/delivery-rig.ts';
import { press } from '../../testing/portal-browser.ts';
import { newToken } from '../base/random-token.ts';
import { createPortal } from './app.ts';

const { token } = newToken();
/** The router reads both alike. */
const SPELLINGS = [token, `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`];
const PIECE_LENGTH = 6;
const PIECES = Array.from({ length: token.length - PIECE_LENGTH + 1 }, (_, start) =>
  token.slice(start, start + PIECE_LENGTH),
);

describe('the log has no piece of a link', () => {
  let rig: Rig;
  let portal: string;
  beforeAll(async () => {
    rig = await Rig.open(await freshFolder(), { atEnd: () => {} });
    const { environment, clock, metrics, log } = rig;
    const app = await createPortal({
      environments: new Map([['production', environment]]),
      keySignIn: async () => ({ outcome: 'incorrect_credentials' }),
      keyScopes: new Map(),
      partnerApiUrls: new Map(),
      brand: { name: 'Portal' },
      trustedProxies: [],
      ...{ clock, metrics, log },
    });
    portal = await app.listen({ port: 0, host: '127.0.0.1' });
    return async () => {
      await app.close();
      await rig.close();
    };
  });

  /** The lines that a request has caused. */
  async function linesOf(request: () => Promise<Response>, status: number) {
    rig.lines.length = 0;
    const reply = await request();
    expect(reply.status).toBe(status);
    const written = JSON.stringify(rig.lines) + (await reply.text());
    expect(PIECES.filter((piece) => written.includes(piece))).toEqual([]);
    return rig.lines;
  }

  test.each(['enter', 'confirm'])('/%s/… pressed by another site', async (page) => {
    for (const spelled of SPELLINGS) {
      const url = `${portal}/${page}/production/${spelled}`;
      const lines = await linesOf(() => press(url, { origin: 'https://attacker.example' }), 403);
      const path = `/${page}/:environment/:token`;
      expect(lines).toMatchObject([{ msg: 'refused', error: 'csrf', method: 'POST', path }]);
    }
  });

  test.each([
    { page: 'enter', table: 'portal_link_token' },
    { page: 'confirm', table: 'contact_link' },
  ])('/$page/… while the database fails', async ({ page, table }) => {
    await sql`drop table ${sql.table(table)}`.execute(rig.store.db);
    const path = `/${page}/:environment/:token`;
    const [plain, encoded] = SPELLINGS.map((spelled) => `${portal}/${page}/production/${spelled}`);
    for (const request of [() => fetch(plain as string), () => press(encoded as string)]) {
      expect(await linesOf(request, 500)).toMatchObject([{ msg: 'portal fault', path }]);
    }
  });
});
