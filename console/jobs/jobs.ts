/** The jobs of docs/support.md, each from the console's first page until its result shows. */
import { readFile } from 'node:fs/promises';
import type { Hand } from './hand.ts';
import { EXHAUSTED, LOWERED_LIMIT, PENDING, type Stock } from './stock.ts';

export interface Job {
  name: string;
  /** What happens elsewhere before it. */
  before?(stock: Stock): unknown;
  play(hand: Hand, stock: Stock): Promise<void>;
}

const NORDLYS = 'nordlys travel midoffice';
const FERNWEH = 'fernweh reisen midoffice';

async function shows(hand: Hand, text: string | RegExp): Promise<void> {
  await hand.page.getByText(text).first().waitFor();
}

export const jobs: Job[] = [
  {
    name: 'Why did it not arrive?',
    async play(hand) {
      await hand.search('NT-1007');
      await shows(hand, 'Why did this fail?');
      await shows(hand, 'HTTP 503');
    },
  },
  {
    name: 'Share the case of an order',
    async play(hand) {
      await hand.search('NT-1007');
      await hand.click(hand.page.getByRole('link', { name: 'Everything about this order' }));
      await hand.clickButton('Share with the partner');
      await shows(hand, 'Copied');
    },
  },
  {
    name: 'Try one first: it fails, the others wait',
    async play(hand) {
      await hand.search(NORDLYS);
      await hand.clickButton('Send again…');
      await hand.clickButton(`Send ${EXHAUSTED} deliveries again`);
      await shows(hand, `The other ${EXHAUSTED - 1} were not sent.`);
      await hand.clickButton('Close');
    },
  },
  {
    name: 'Resend everything since the failure',
    before: ({ repairNordlys }) => repairNordlys(),
    async play(hand) {
      await hand.search(NORDLYS);
      await hand.clickButton('Send again…');
      // The one that was tried waits for its next attempt.
      await hand.clickButton(`Send ${EXHAUSTED - 1} deliveries again`);
      await shows(hand, `${EXHAUSTED - 1} delivered, 0 failed.`);
      await hand.clickButton('Close');
    },
  },
  {
    name: 'Rehearse real webhooks',
    async play(hand) {
      await hand.search(NORDLYS);
      await hand.clickButton('Rehearse…');
      await hand.clickButton('Rehearse');
      await shows(hand, 'Passed: all 10 webhooks were accepted.');
    },
  },
  {
    name: 'Onboard a partner',
    async play(hand, { url }) {
      const field = (label: string) => hand.page.getByRole('dialog').getByLabel(label);
      await hand.click(hand.page.getByRole('link', { name: 'Partners', exact: true }));
      await hand.clickButton('New partner');
      await hand.fill(field('Name'), 'Polar Tours');
      await hand.clickButton('Create partner');
      await hand.clickButton('Create a key');
      await hand.clickButton('Create key');
      await hand.clickButton('I have saved it');
      await hand.clickButton('Create a midoffice');
      await hand.fill(field('Receiver URL'), url);
      await hand.clickButton('Create midoffice');
      await hand.clickButton('Send test event');
      await shows(hand, 'HTTP 200');
    },
  },
  {
    name: 'Rotate a leaked key',
    async play(hand, { nordlys }) {
      await hand.search(nordlys.keyId);
      await hand.clickButton('Rotate');
      await hand.click(hand.page.getByRole('dialog').getByLabel('None', { exact: true }));
      await hand.clickButton('Rotate key');
      await shows(hand, 'The API key is shown only once.');
      await hand.clickButton('I have saved it');
    },
  },
  {
    name: '“401 since yesterday”',
    before: ({ nordlys, callWith }) => callWith(nordlys),
    async play(hand, { nordlys }) {
      await hand.search(nordlys.keyId);
      await shows(hand, '401 wrong credentials');
      await shows(hand, /^The API key with the fingerprint \w+ was replaced on /);
    },
  },
  {
    name: 'Would this limit do?',
    async play(hand, { blue }) {
      await hand.search(blue.keyId);
      await hand.clickButton('Edit limit of overview/');
      await hand.fill(hand.page.getByRole('dialog').getByLabel('Calls'), '1');
      await shows(hand, /^It would have refused /);
    },
  },
  {
    name: '“I get 429”',
    async play(hand, { blue }) {
      await hand.search(blue.keyId);
      await shows(hand, '429 over the limit');
      await shows(hand, new RegExp(`^${LOWERED_LIMIT} per .*none left`));
    },
  },
  {
    name: 'Who changed a limit? Undo it',
    async play(hand, { blue }) {
      const changed = `lowered overview/ for Blue Horizon (live) from 100 to ${LOWERED_LIMIT} a day`;
      await hand.search(blue.keyId);
      await hand.click(hand.page.getByRole('link', { name: 'in the audit' }));
      const entry = hand.page.getByRole('listitem').filter({ hasText: `Ann ${changed}` });
      await hand.click(entry.getByRole('button', { name: 'Revert' }));
      await hand.fill(hand.page.getByLabel('Approval reference'), 'TICKET-1204');
      await hand.clickButton('Undo the change');
      await shows(hand, /undid a change: raised overview\/ for .* to 100 a day, TICKET-1204/);
    },
  },
  {
    name: 'Change the receiver’s URL',
    async play(hand, { url }) {
      await hand.search(NORDLYS);
      await hand.clickButton('Edit');
      await hand.fill(hand.page.getByLabel('Receiver URL'), `${url}/new`);
      await hand.clickButton('Save');
      await hand.clickButton('Send test event');
      await shows(hand, 'HTTP 200');
      await shows(hand, `${url}/new`);
    },
  },
  {
    name: 'Deliveries of a partner as CSV',
    async play(hand) {
      await hand.search('nordlys travel');
      await hand.click(hand.page.getByRole('link', { name: 'All deliveries' }));
      // The page of the partner has such a link, too, of its activity.
      await hand.page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
      const download = hand.page.waitForEvent('download');
      await hand.click(hand.page.getByRole('link', { name: 'CSV', exact: true }));
      const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
      if (lines.length !== 1 + EXHAUSTED) throw new Error(`The CSV has ${lines.length} lines.`);
    },
  },
  {
    name: 'Pause, resume, send all',
    async play(hand) {
      await hand.search(FERNWEH);
      await hand.clickButton('Pause');
      await hand.click(hand.page.getByRole('dialog').getByRole('button', { name: 'Pause' }));
      await shows(hand, 'nothing is sent until you resume it');
      await hand.clickButton('Resume');
      await hand.clickButton(`Send all ${PENDING} pending now`);
      await shows(hand, 'Nothing is pending.');
    },
  },
  {
    name: 'Read-only access that expires',
    async play(hand) {
      const dialog = hand.page.getByRole('dialog');
      await hand.click(hand.page.getByRole('link', { name: 'Tokens', exact: true }));
      await hand.clickButton('New token');
      await hand.fill(dialog.getByLabel('Name'), 'audit 2026');
      await hand.click(dialog.getByLabel(/^viewer/));
      await hand.click(dialog.getByLabel('In 30 days'));
      await hand.clickButton('Create token');
      await shows(hand, 'Token of audit 2026');
      await hand.clickButton('I have saved it');
      const row = hand.page.getByRole('row', { name: /^audit 2026 viewer/ });
      // When it was created, and when it expires.
      await row.locator('time').nth(1).waitFor();
    },
  },
];
