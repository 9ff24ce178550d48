/** Every page of the console with something on it, and the states in which it shows most. */
import type { Page } from 'playwright-core';
import type { Agency } from './desk.ts';

export interface Seed extends Agency {
  exhaustedId: string;
  deliveredId: string;
}

export interface View {
  name: string;
  /** The file in console/src/pages. */
  page: string;
  path(seed: Seed): string;
  /** What to open on the page before it is looked at. */
  open?: (page: Page) => Promise<unknown>;
  /**
   * While a popup of the component library is open, it hides the rest of the page from screen readers
   * and guards the focus. axe takes both for faults.
   */
  isPopup?: true;
}

const at = (path: string) => () => path;
const button = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().click();

const delivery = (id: 'exhaustedId' | 'deliveredId') => (seed: Seed) =>
  `/production/deliveries/${seed[id]}`;
const partner = ({ partnerId }: Seed) => `/production/partners/${partnerId}`;
const key = ({ keyId }: Seed) => `/production/keys/${keyId}`;
const midoffice = ({ midofficeId }: Seed) => `/production/midoffices/${midofficeId}`;
const tokens = at('/production/tokens');

export const everyPage: readonly View[] = [
  { name: 'the overview', page: 'Overview', path: at('/production') },
  { name: 'the overview of nothing', page: 'Overview', path: at('/sandbox?span=week') },
  { name: 'deliveries', page: 'Deliveries', path: at('/production/deliveries') },
  {
    name: 'no deliveries',
    page: 'Deliveries',
    path: at('/production/deliveries?partner_order_id=nobody'),
  },
  { name: 'an exhausted delivery', page: 'Delivery', path: delivery('exhaustedId'), open: unfold },
  { name: 'a delivered one', page: 'Delivery', path: delivery('deliveredId'), open: unfold },
  { name: 'partners', page: 'Partners', path: at('/production/partners') },
  { name: 'a partner', page: 'Partner', path: partner },
  { name: 'keys', page: 'Keys', path: at('/production/keys') },
  { name: 'a key', page: 'Key', path: key },
  { name: 'midoffices', page: 'Midoffices', path: at('/production/midoffices') },
  { name: 'a midoffice', page: 'Midoffice', path: midoffice, open: unfold },
  { name: 'the audit', page: 'Audit', path: at('/production/audit'), open: unfold },
  { name: 'tokens', page: 'Tokens', path: tokens },
  { name: 'no page', page: 'NotFound', path: at('/production/nowhere') },
  { name: "the partner API's documentation", page: 'Docs', path: at('/docs') },
  { name: "the back office's", page: 'Docs', path: at('/docs?api=back-office') },
];

/** What opens over the pages; it is drawn by the same few parts everywhere. */
export const everyOverlay: readonly View[] = [
  {
    name: 'the search',
    page: 'NotFound',
    path: at('/production/nowhere'),
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
    path: at('/production/nowhere'),
    open: button(/account/),
  },
  { name: 'a new key', page: 'Partner', path: partner, open: button('New key') },
  { name: 'a grant', page: 'Key', path: key, open: button('Edit limit of search/hp/') },
  { name: "a midoffice's fields", page: 'Midoffice', path: midoffice, open: button('Edit') },
  { name: 'a recovery', page: 'Midoffice', path: midoffice, open: button(/^Recover/) },
  { name: 'a new token', page: 'Tokens', path: tokens, open: button('New token') },
];

/** Everything that can be folded away. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
}
