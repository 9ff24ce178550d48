/** The server of a listener, with or without TLS. Everything above it is the same. */
import type {
  IncomingMessage,
  RequestListener,
  Server,
  ServerOptions,
  ServerResponse,
} from 'node:http';
import type { Certificate } from './certificate.ts';
import { http } from './node-http.ts';

/** For the handshake. The time-outs of requests begin after it. */
const HANDSHAKE_MS = 10_000;

type Options = ServerOptions<typeof IncomingMessage, typeof ServerResponse<IncomingMessage>>;

export function createServer(
  options: Options,
  certificate: Certificate | undefined,
  serve?: RequestListener,
  handshakeMs = HANDSHAKE_MS,
): Server {
  if (!certificate) return http.createServer(options, serve);
  // Loaded only if it is used.
  const https = process.getBuiltinModule('node:https');
  const server = https.createServer(
    {
      ...options,
      ...certificate.options,
      handshakeTimeout: handshakeMs,
      noDelay: true,
      // As node:http has it: a caller that has stopped sending still gets its reply.
      allowHalfOpen: true,
    },
    serve,
  );
  certificate.onChange(() => server.setSecureContext(certificate.options));
  // It has all of node:http's methods, but extends another class.
  return server as unknown as Server;
}
