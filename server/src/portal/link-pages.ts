/** The pages that links lead to, which need no script: what a link offers, and that it does not work any more. */
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Brand } from './entrance.ts';

/** Text for a page. Partners have names of any kind. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

export function page(brand: Brand, title: string, body: string): string {
  const logo = brand.logo ? '<img src="/brand/logo" alt=""> ' : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(`${title} · ${brand.name}`)}</title>
<link rel="icon" href="/bell.svg" type="image/svg+xml">
<link rel="stylesheet" href="/enter.css">
<link rel="stylesheet" href="/brand.css">
</head>
<body>
<main>
<p class="operator">${logo}${escaped(brand.name)}</p>
<h1>${escaped(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

/** As the sign-in page of the portal looks. Its accent is that of brand.css, which comes after it. */
export const STYLE = `
:root {
  color-scheme: light dark;
  font: 0.875rem / 1.5 system-ui, sans-serif;
  background: light-dark(#f5f5f2, #14161b);
  color: light-dark(#1b1f27, #e7e9ee);
  --accent: light-dark(#3d4a66, #b3bed4);
  --on-accent: light-dark(#ffffff, #14161b);
}
body { margin: 0; display: grid; place-items: center; min-height: 100vh; }
main {
  box-sizing: border-box;
  width: min(25rem, calc(100% - 2.5rem));
  padding: 2rem;
  border: 1px solid light-dark(#e4e4de, #2c313b);
  border-radius: 16px;
  background: light-dark(#ffffff, #1b1e25);
  overflow-wrap: anywhere;
}
.operator { margin: 0 0 1rem; display: flex; align-items: center; gap: 0.5rem; font-weight: 640; }
.operator img { height: 1.75rem; max-width: 8rem; object-fit: contain; }
h1 { margin: 0; font-size: 1.3125rem; line-height: 1.25; }
.note { margin-bottom: 0; color: light-dark(#595f6b, #a2abba); font-size: 0.8125rem; }
button {
  width: 100%;
  padding: 0.5rem 1rem;
  border: 0;
  border-radius: 7px;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
/* The page about the API is a text, not a card. */
main:has(h2) { width: min(46rem, calc(100% - 2.5rem)); margin: 2rem 0; }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;

/** The form posts to the page's own address. */
export function offerPage(
  brand: Brand,
  environment: EnvironmentName,
  { partnerName, isPreview }: { partnerName: string; isPreview: boolean },
): string {
  const name = escaped(partnerName);
  const what = isPreview
    ? `<p>You will see the portal as <strong>${name}</strong> sees it, in ${environment}, and cannot change anything.</p>`
    : `<p>You will be signed in for <strong>${name}</strong>, in ${environment}, for 12 hours.</p>`;
  return page(
    brand,
    'Sign in to the partner portal',
    `${what}\n<form method="post"><button type="submit">Sign in</button></form>\n<p class="note">The link works once.</p>`,
  );
}

export function deadLinkPage(brand: Brand): string {
  return page(
    brand,
    'This link does not work any more',
    '<p>It was used already, has expired or was withdrawn. Ask API support for another.</p>',
  );
}

export function confirmPage(
  brand: Brand,
  environment: EnvironmentName,
  { partner_name, email }: { partner_name: string; email: string },
): string {
  return page(
    brand,
    'Confirm your address',
    `<p><strong>${escaped(partner_name)}</strong> wants to send notices about its webhooks and keys, in ${environment}, to <strong>${escaped(email)}</strong>.</p>
<form method="post"><button type="submit">Confirm</button></form>
<p class="note">If you do not know what this is, close this page: you get no further mail.</p>`,
  );
}

export function confirmedPage(brand: Brand, { email }: { email: string }): string {
  return page(
    brand,
    'Your address is confirmed',
    `<p>From now on, <strong>${escaped(email)}</strong> gets the notices that were chosen for it.</p>`,
  );
}

export function deadConfirmationPage(brand: Brand): string {
  return page(
    brand,
    'This link does not work any more',
    '<p>It was used already, has expired, or the address was removed. Another mail can be asked for in the portal, under “Contacts and notices”.</p>',
  );
}
