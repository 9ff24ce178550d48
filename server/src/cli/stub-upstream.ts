/**
 * A stand-in for the booking core. It answers the 42 endpoints that Bellhop forwards with an echo of the call. It knows
 * nothing of hotels and orders, and invents nothing.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { openPort, readWhole, stopAsked } from '@bellhop/partner/command-line';
import { Command, Option } from '@commander-js/extra-typings';
import { catalogue, OVERVIEW } from '../base/catalogue.ts';
import { http } from '../listener/node-http.ts';
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

function callLine({ at, method, path, keyId, answered }: EchoedCall): string {
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

/** The limit of the partner API, which refuses larger bodies before they get here. */
const LARGEST_BODY_BYTES = 1_048_576;
/** Bellhop keeps it to itself. A caller that comes here directly must not find it in an answer or a log. */
const NOT_ECHOED = 'authorization';

const endpoints = new Set(
  catalogue.map(({ endpoint }) => endpoint).filter((endpoint) => endpoint !== OVERVIEW),
);

export interface EchoedCall {
  at: Date;
  method: string;
  path: string;
  /** Of the key that Bellhop signed in; undefined if the call did not come through Bellhop. */
  keyId: string | undefined;
  answered: number;
}

export function createEchoUpstream(onCall: (call: EchoedCall) => void): Server {
  return http.createServer((request, response) => {
    answer(request, response).then(onCall, () => response.destroy());
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<EchoedCall> {
  const at = new Date();
  const { method = '', headers } = request;
  const [path = '', query] = (request.url ?? '').split(/\?(.*)/s);
  const body = await readWhole(request, LARGEST_BODY_BYTES);
  const reply = replyTo(path, () => ({
    method,
    path,
    query: valuesByName(new URLSearchParams(query)),
    headers: { ...headers, ...(headers[NOT_ECHOED] && { [NOT_ECHOED]: '(not echoed)' }) },
    body: body && shownBody(body, headers['content-type']),
  }));
  const { status, envelope } = body === undefined ? TOO_LARGE : reply;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(envelope));
  const keyId = headers['x-bellhop-key-id'];
  return {
    at,
    method,
    path,
    keyId: typeof keyId === 'string' ? keyId : undefined,
    answered: status,
  };
}

interface Reply {
  status: number;
  envelope: { data: unknown; debug: null; error: unknown; status: string };
}

const TOO_LARGE = refusal(413, 'body_too_large', 'The body is larger than 1 MiB. Send less.');

function replyTo(path: string, echo: () => object): Reply {
  const endpoint = `${path.replace(/^\/|\/$/g, '')}/`;
  if (endpoints.has(endpoint)) {
    return { status: 200, envelope: { data: echo(), debug: null, error: null, status: 'ok' } };
  }
  return refusal(
    404,
    'endpoint_not_found',
    'This is none of the 42 endpoints that Bellhop forwards. The overview lists them.',
  );
}

function refusal(status: number, code: string, message: string): Reply {
  return {
    status,
    envelope: { data: null, debug: null, error: { code, message }, status: 'error' },
  };
}

/** A name that occurs several times has a list. */
function valuesByName(query: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

/** JSON as a value, anything else as text, and an empty body as null. */
function shownBody(body: Uint8Array, contentType = ''): unknown {
  if (body.length === 0) return null;
  const text = new TextDecoder().decode(body);
  if (!/^application\/([\w.-]+\+)?json\b/i.test(contentType)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
