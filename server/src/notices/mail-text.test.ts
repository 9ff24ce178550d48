import { expect, test } from 'vitest';
import { composeMail } from './mail-text.ts';

test('a name with hidden marks, from before they were refused, is one line in one direction', async () => {
  const letterhead = {
    environment: 'sandbox' as const,
    from: { name: 'Bellhop', address: 'noreply@bellhop.example' },
    portalName: 'Portal',
    portalUrl: 'https://portal.example',
  };
  const mail = {
    ...{ id: 'mai_1', partner_id: 'par_1', partner_name: 'Blue\u2028Green\u0085Red\u202e' },
    ...{ recipient: 'ann@partner.example', created_at: 0, due_at: 0, tries: 0 },
    ...{ notice: null, portal_link: null },
  };
  const written = (await composeMail(mail, letterhead, { token: 'x', days: 7 })).toString();
  expect(written).toContain('\r\n\r\nBlue Green Red  wants to send');
});
