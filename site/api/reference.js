/** Shows the OpenAPI documents of this server with Scalar, which is on this server as well: nothing comes from elsewhere. */
import { documents } from './documents.js';

const sources = await Promise.all(documents.map(read));

globalThis.Scalar.createApiReference('#reference', {
  sources,
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  persistAuth: false,
});

async function read({ url, ...source }) {
  const reply = await fetch(url);
  return { ...source, content: onlyToTry(await reply.json()) };
}

/** Calls can be tried in the sandbox only, so that is the address in the examples as well. */
function onlyToTry(document) {
  const isNamed = (name) => (server) => server.description === name;
  const sandbox = document.servers?.find(isNamed('Sandbox'));
  if (!sandbox) return document;
  const production = document.servers.find(isNamed('Production'));
  const note = production
    ? `\n\nThe examples are for the sandbox, where you can try calls from this page. Production answers at \`${production.url}\`, with its own keys.`
    : '';
  const info = { ...document.info, description: `${document.info.description ?? ''}${note}` };
  return { ...document, info, servers: [sandbox] };
}
