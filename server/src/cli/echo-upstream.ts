/**
 * The stand-in for the booking core behind `bellhop stub-upstream`. It answers the 42 endpoints that
 * Bellhop forwards with an echo of the call. It knows nothing of hotels and orders, and invents nothing.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { readWhole } from '@bellhop/partner/command-line';
import { catalogue, OVERVIEW } from '../base/catalogue.ts';
import { http } from '../listener/node-http.ts';

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
