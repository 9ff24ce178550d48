/** The few pages that need no script: those that people see before they are signed in, and where that leads them. */
import type { EnvironmentName } from '../config/settings.ts';

/** Text for a page. Partners have names of any kind. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="/portal.css">
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

export const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 42rem; margin: 12vh auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
button { font: inherit; padding: 0.5rem 1.25rem; cursor: pointer; }
`;

/** The form posts to the page's own address. */
export function offerPage(
  environment: EnvironmentName,
  { partnerName, isPreview }: { partnerName: string; isPreview: boolean },
): string {
  const name = escaped(partnerName);
  const what = isPreview
    ? `<p>You will see the portal as <strong>${name}</strong> sees it, in ${environment}, and cannot change anything.</p>`
    : `<p>You will be signed in for <strong>${name}</strong>, in ${environment}, for 12 hours.</p>`;
  return page(
    'Sign in to the partner portal',
    `${what}\n<form method="post"><button type="submit">Sign in</button></form>\n<p>The link works once.</p>`,
  );
}

export function deadLinkPage(): string {
  return page(
    'This link does not work any more',
    '<p>It was used already, has expired or was withdrawn. Ask API support for another.</p>',
  );
}

export interface SignedInTo {
  environment: EnvironmentName;
  partnerName: string;
  isReadOnly: boolean;
  expiresAt: string;
}

export function homePage(sessions: readonly SignedInTo[]): string {
  const items = sessions.map(
    ({ environment, partnerName, isReadOnly, expiresAt }) =>
      `<p>You are signed in for <strong>${escaped(partnerName)}</strong>, in ${environment}, until ${expiresAt}${isReadOnly ? ', to look only' : ''}.</p>`,
  );
  const nobody =
    '<p>You are not signed in. Open the link that API support has sent you, or sign in with your key.</p>';
  const api =
    '<p>The <a href="/docs/">partner guide</a> explains keys, limits and webhooks, and has the <a href="/docs/api/">API reference</a>. What you do here, programs can do too: with <a href="/docs/portal-api">the API of the portal</a>.</p>';
  return page('Partner portal', `${items.join('\n') || nobody}\n${api}`);
}
