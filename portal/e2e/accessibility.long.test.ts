import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { axeFindings } from '../../console/e2e/axe.ts';
import { describePortal, type Visit } from '../../console/e2e/browser.ts';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { PORTAL_SETTINGS, type PortalPartner, portalPartner, withKey } from './partner.ts';

const bellhop = sharedBellhop(() => ({ ...PORTAL_SETTINGS, BELLHOP_PORTAL_COLOR: '#ffcc00' }));

/** By the name of its file in portal/src/pages. */
const everyPage: Record<string, (partner: PortalPartner) => string> = {
  Home: () => '',
  Limits: () => '/limits',
  Refusals: () => '/refused-calls',
  Webhooks: () => '/webhooks',
  Webhook: ({ exhaustedId }) => `/webhooks/${exhaustedId}`,
  Case: ({ exhaustedId }) => `/cases/${exhaustedId}`,
  Receiver: () => '/receiver',
  Keys: () => '/keys',
  Key: ({ keyId }) => `/keys/${keyId}`,
  Contacts: () => '/contacts',
  Activity: () => '/activity',
  NotFound: () => '/nowhere',
};
/** So long that each look takes seconds; its parts are on other pages too. */
const LONG = 'Limits';

describePortal(
  'axe finds nothing wrong in both themes at both widths, in a colour that is hard to read, on',
  bellhop,
  (open) => {
    const partner = portalPartner(bellhop);

    test('every page of the portal', async () => {
      const { page, go }: Visit = await open({ signIn: withKey(partner()) });
      for (const [name, path] of Object.entries(everyPage)) {
        await go(`/production${path(partner())}`);
        const findings = await axeFindings(page, { once: name === LONG });
        expect([name, findings]).toEqual([name, []]);
      }
    });

    test.for([
      ['Change the URL', 'Receiver'],
      ['Change the settings', 'Receiver'],
      ['Rehearse…', 'Receiver'],
      ['Send again since…', 'Webhooks'],
      ['Change', 'Key'],
      ['Change the label', 'Key'],
      ['Rotate', 'Key'],
    ])('the dialog "%s"', async ([name = '', on = '']) => {
      const path = `/production${everyPage[on]?.(partner())}`;
      const { page } = await open({ to: path, signIn: withKey(partner()) });
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      expect(await axeFindings(page, { within: '[role="dialog"]' })).toEqual([]);
    });

    test('no page is left out', async () => {
      const pages = join(import.meta.dirname, '..', 'src', 'app', 'pages.ts');
      const shown = [...(await readFile(pages, 'utf8')).matchAll(/\/(\w+)\.tsx'\)/g)];
      expect(shown.map(([, name]) => name).sort()).toEqual(Object.keys(everyPage).sort());
    });
  },
);
