import { openPort, stopAsked } from '@bellhop/partner/command-line';
import { Command, Option } from '@commander-js/extra-typings';
import { createEchoUpstream, type EchoedCall } from './echo-upstream.ts';
import { examples } from './help-style.ts';
import { jsonOption, wholeNumber } from './options.ts';
import { clockTime, jsonText, paint, printable } from './terminal.ts';

export const stubUpstreamCommand = new Command()
  .description(`Stands in for the booking core while you try things out. Bellhop forwards 42 endpoints to it, and it answers each call with an echo of its method, path, query, headers and body, in the envelope of the partner API. It invents no business data. Ctrl-C ends it.

Point the sandbox at it when you start the server:
  BELLHOP_SANDBOX_UPSTREAM_URL=http://127.0.0.1:8095 npx bellhop`)
  .addOption(
    new Option('--port <n>', 'the port to listen on; 0 picks a free one')
      .argParser(wholeNumber('--port', 0, 65_535))
      .default(8095),
  )
  .addOption(
    new Option(
      '--host <address>',
      'the address to listen on; other machines reach only 0.0.0.0 or an address of your network',
    ).default('127.0.0.1'),
  )
  .addOption(jsonOption('print one JSON object per line'))
  .addHelpText('after', examples('bellhop stub-upstream', 'bellhop stub-upstream --port 9100'))
  .action(async ({ port, host, json }) => {
    const stopping = stopAsked();
    const server = createEchoUpstream((call) =>
      console.log(json ? callJson(call) : callLine(call)),
    );
    const opened = await openPort(server, port, host);
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${opened}`;
    console.log(json ? JSON.stringify({ kind: 'listening', url }) : ready(url));
    await stopping;
    server.close();
    server.closeAllConnections();
  });

function ready(url: string): string {
  return `Echoing calls on ${paint('bold', url)}; Ctrl-C ends it.
Start the server with it from another terminal:

  ${paint('bold', `BELLHOP_SANDBOX_UPSTREAM_URL=${url} npx bellhop`)}
`;
}

export function callLine({ at, method, path, keyId, answered }: EchoedCall): string {
  const answer = `answered ${answered}`;
  return [
    paint('dim', clockTime(at)),
    `${method} ${printable(path)}`,
    keyId ? `key ${printable(keyId)}` : paint('dim', 'not through Bellhop'),
    answered < 300 ? answer : paint('yellow', answer),
  ].join('  ');
}

function callJson({ at, method, path, keyId, answered }: EchoedCall): string {
  return jsonText({
    kind: 'call',
    at: at.toISOString(),
    method,
    path,
    key_id: keyId ?? null,
    answered,
  });
}
