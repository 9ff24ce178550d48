/** Every page of the console with data on it, in the states that show the most. */
import type { Page } from 'playwright-core';
import type { Agency } from './agency.ts';
import { settled } from './browser.ts';

export interface Seed extends Agency {
  exhaustedId: string;
  deliveredId: string;
}

export interface View {
  name: string;
  /** The name of its file in console/src/pages. */
  page: string;
  path(seed: Seed): string;
  /** Opens what is to be looked at. */
  open?: (page: Page) => Promise<unknown>;
  /**
   * An open popup of the component library hides the rest of the page from screen readers and keeps
   * the focus. axe reports both as faults, so only the popup itself is checked.
   */
  isPopup?: true;
}

/** No page has this address. */
export const NOWHERE = '/production/nowhere';

const at = (path: string) => () => path;
const button = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().click();

const delivery = (id: 'exhaustedId' | 'deliveredId') => (seed: Seed) =>
  `/production/deliveries/${seed[id]}`;
const partner = ({ partnerId }: Seed) => `/production/partners/${partnerId}`;
const portal = (seed: Seed) => `${partner(seed)}?tab=portal`;
const key = ({ keyId }: Seed) => `/production/keys/${keyId}`;
const midoffice = ({ midofficeId }: Seed) => `/production/midoffices/${midofficeId}`;
const tokens = at('/production/tokens');

export const everyPage: readonly View[] = [
  { name: 'the overview', page: 'Overview', path: at('/production') },
  { name: 'the overview of nothing', page: 'Overview', path: at('/sandbox?span=week') },
  { name: 'deliveries', page: 'Deliveries', path: at('/production/deliveries') },
  {
    name: 'deliveries with no match',
    page: 'Deliveries',
    path: at('/production/deliveries?partner_order_id=nobody'),
  },
  { name: 'an exhausted delivery', page: 'Delivery', path: delivery('exhaustedId'), open: unfold },
  { name: 'a delivered one', page: 'Delivery', path: delivery('deliveredId'), open: unfold },
  { name: 'a case', page: 'Case', path: ({ exhaustedId }) => `/production/cases/${exhaustedId}` },
  { name: 'partners', page: 'Partners', path: at('/production/partners') },
  { name: 'a partner', page: 'Partner', path: partner, open: unfold },
  { name: "a partner's portal", page: 'PartnerPortal', path: portal, open: unfold },
  { name: 'keys', page: 'Keys', path: at('/production/keys') },
  { name: 'a key', page: 'Key', path: key },
  { name: 'calls', page: 'Calls', path: at('/production/calls') },
  { name: 'calls with no match', page: 'Calls', path: at('/production/calls?address=192.0.2.9') },
  { name: 'midoffices', page: 'Midoffices', path: at('/production/midoffices') },
  { name: 'a midoffice', page: 'Midoffice', path: midoffice, open: unfold },
  {
    name: 'limit requests',
    page: 'LimitRequests',
    path: at('/production/limit-requests'),
  },
  { name: 'notices', page: 'Notices', path: at('/production/notices') },
  {
    name: 'notices with no match',
    page: 'Notices',
    path: at('/production/notices?mail=given_up'),
  },
  { name: 'the audit', page: 'Audit', path: at('/production/audit'), open: unfold },
  { name: 'tokens', page: 'Tokens', path: tokens },
  { name: 'the page for unknown addresses', page: 'NotFound', path: at(NOWHERE) },
];

function openBulk(name: string) {
  return async (page: Page) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page
      .getByRole('dialog')
      .getByText(/will be attempted|nothing to cancel|already/)
      .waitFor();
  };
}

/** Overlays. The same few components draw them on every page. */
export const everyOverlay: readonly View[] = [
  {
    name: 'the search',
    page: 'NotFound',
    path: at(NOWHERE),
    open: async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('e');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'a picker',
    isPopup: true,
    page: 'Keys',
    path: at('/production/keys'),
    open: async (page) => {
      await page.getByRole('combobox', { name: 'Partner' }).click();
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'the account menu',
    isPopup: true,
    page: 'NotFound',
    path: at(NOWHERE),
    open: button(/account/),
  },
  {
    name: 'a change of everything that a filter finds',
    page: 'Deliveries',
    path: at('/production/deliveries?type=updated'),
    open: openBulk('Send all again…'),
  },
  {
    name: 'a cancellation of selected deliveries',
    page: 'Deliveries',
    path: at('/production/deliveries'),
    open: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all shown' }).check();
      await openBulk('Cancel')(page);
    },
  },
  {
    name: 'the keyboard shortcuts',
    page: 'NotFound',
    path: at(NOWHERE),
    open: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
  { name: 'a new key', page: 'Partner', path: partner, open: button('New key') },
  { name: 'a suspension', page: 'Partner', path: partner, open: button('Suspend') },
  { name: 'a new name', page: 'Partner', path: partner, open: button('Rename') },
  { name: 'a revocation', page: 'Key', path: key, open: button('Revoke') },
  { name: 'a withdrawal', page: 'Key', path: key, open: button('Withdraw search/hp/') },
  {
    name: 'a switch-off',
    page: 'Key',
    path: key,
    open: (page) => page.getByRole('switch', { name: 'search/hp/ active' }).click(),
  },
  { name: 'a rotation', page: 'Key', path: key, open: button('Rotate') },
  {
    name: 'the end of a change',
    page: 'Audit',
    path: ({ keyId }) => `/production/audit?subject=${keyId}`,
    open: button('Revert'),
  },
  { name: 'a grant', page: 'Key', path: key, open: button('Edit limit of search/hp/') },
  {
    name: 'a change of several limits',
    page: 'Key',
    path: key,
    open: async (page) => {
      await page.getByLabel('Select all shown').check();
      await page.getByRole('button', { name: 'Change limits…' }).click();
      await page.getByRole('dialog').getByLabel('Window').selectOption('another time…');
    },
  },
  { name: 'a link to the portal', page: 'Partner', path: portal, open: button('New link') },
  { name: "a midoffice's fields", page: 'Midoffice', path: midoffice, open: button('Edit') },
  { name: 'sending again', page: 'Midoffice', path: midoffice, open: button('Send again…') },
  { name: 'a new token', page: 'Tokens', path: tokens, open: button('New token') },
];

/** Of an overlay only itself: the page below it is checked on its own, and takes most of the time. */
export function within(view: View): string | undefined {
  if (everyPage.includes(view)) return undefined;
  return view.isPopup ? '[role=menu], [role=listbox]' : '[role=dialog], header search';
}

/** Opens everything that is folded. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
}

/**
 * Goes to another page as a link does, without loading the console again, and waits for it. By way of no page, so that
 * its heading is not taken for that of the page before.
 */
export async function walkTo(page: Page, path: string): Promise<void> {
  const nobody = page.getByRole('heading', { level: 1, name: 'Page not found' });
  // An open dialog or menu would keep the pages behind it from being found.
  await page.keyboard.press('Escape');
  await page.evaluate(`history.pushState(null, '', '${NOWHERE}')`);
  await nobody.waitFor();
  if (path === NOWHERE) return;
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  await nobody.waitFor({ state: 'hidden' });
  await settled(page);
}
