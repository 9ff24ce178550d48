/** Whatever goes wrong leaves the back office as a problem. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyError, FastifyReply } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { DatabaseAway, isTooSlow, ReadTimedOut, TooManyReads } from '../base/database-errors.ts';
import { LARGEST_BATCH_BYTES } from '../delivery/orders/intake.ts';
import { isArriving, linger } from '../listener/linger.ts';
import { http } from '../listener/node-http.ts';
import { Problem, type ProblemCode } from '../resources/problem.ts';
import { storageTroubleOf } from '../store/storage-trouble.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { validationProblem } from './validation-errors.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** `WWW-Authenticate` of a 401; undefined where nothing but a cookie signs in. */
    challenge?: string;
  }
}

/** For a full or failing disk: someone has to do something about it first. */
const RETRY_AFTER_STORAGE_SECONDS = 10;
/** A database that does not answer is mostly back within seconds. */
const RETRY_AFTER_DATABASE_SECONDS = 1;

/** The most events that may wait are stored in about a second. */
const RETRY_AFTER_INTAKE_SECONDS = 1;

/** Others may have read what made it wait. */
const RETRY_AFTER_READS_SECONDS = 1;

const PROBLEM_TYPE = 'application/problem+json';

/** `bodyLimit` is that of the route. */
export function problemFrom(error: FastifyError | Problem, bodyLimit: number): Problem {
  if (error instanceof Problem) return error;
  const trouble = storageTroubleOf(error);
  if (trouble) return new Problem(trouble);
  if (error instanceof DatabaseAway) return new Problem('database_unavailable');
  if (error instanceof ReadTimedOut) return new Problem('read_timed_out');
  if (error instanceof TooManyReads) {
    return new Problem('too_many_reads', undefined, undefined, {
      retryAfterMs: RETRY_AFTER_READS_SECONDS * 1_000,
    });
  }
  // A statement that PostgreSQL ended, mostly because it waited for what somebody else has locked.
  if (isTooSlow(error)) return new Problem('database_unavailable');
  if (error.validation) return validationProblem(error);
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(bodyLimit);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('malformed_request', 'The body does not have its announced length.');
    default:
      return error.statusCode === 400
        ? new Problem('malformed_json')
        : new Problem('internal_error');
  }
}

export function bodyTooLarge(mostBytes: number): Problem {
  const most = mostBytes.toLocaleString('en');
  return new Problem('body_too_large', `The body must have at most ${most} bytes.`);
}

export function sendProblem(reply: FastifyReply, problem: Problem, clock: Clock): void {
  const body = JSON.stringify(problem);
  const { challenge } = reply.server;
  reply.code(problem.status).headers(headersOf(problem, challenge)).type(PROBLEM_TYPE);
  if (isArriving(reply.request.raw)) sendWhileArriving(reply, body, clock);
  // Serialised here: a route's own schema for this status must not drop fields.
  else reply.serializer((text: string) => text).send(body);
}

/** Fastify would close the connection after the reply, and a caller that is still sending might never see it. */
function sendWhileArriving(reply: FastifyReply, body: string, clock: Clock): void {
  reply.header('connection', 'close').header('content-length', Buffer.byteLength(body));
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  reply.raw.write(body);
  linger(reply.request.raw, LARGEST_BATCH_BYTES, clock, () => reply.raw.end());
}

/** The same reply as bytes, for requests that never became one for Fastify. */
export function rawProblem(problem: Problem): string {
  const body = JSON.stringify(problem);
  const headers = {
    ...SECURITY_HEADERS,
    ...headersOf(problem),
    'content-type': PROBLEM_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${problem.status} ${http.STATUS_CODES[problem.status]}`;
  return `${[status, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

function headersOf(
  { status, code, retryAfterMs }: Problem,
  challenge?: string,
): Record<string, string> {
  // What follows an invalid request must not be taken for the next one.
  if (code === 'malformed_request') return { connection: 'close' };
  if (status === 401 && challenge !== undefined) return { 'www-authenticate': challenge };
  if (retryAfterMs !== undefined) {
    return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
  }
  if (status !== 503) return {};
  return { 'retry-after': String(retryAfterSeconds(code)) };
}

function retryAfterSeconds(code: ProblemCode): number {
  if (code === 'database_unavailable') return RETRY_AFTER_DATABASE_SECONDS;
  if (code === 'read_timed_out') return RETRY_AFTER_READS_SECONDS;
  if (code === 'too_many_events') return RETRY_AFTER_INTAKE_SECONDS;
  return RETRY_AFTER_STORAGE_SECONDS;
}
