/**
 * Who signed in to the console or the portal, and who was refused because credentials or rights were missing. Changes are in
 * the audit. These are not changes, but people look for them after an attack.
 */
import type { FastifyRequest } from 'fastify';
import type { Cidr } from '../base/addresses/addresses.ts';
import { callerAddress } from '../base/addresses/caller-address.ts';
import type { Log } from '../base/log.ts';
import { loggedPath } from '../base/logging/logged-path.ts';
import type { Problem } from '../resources/problem.ts';

export interface SecurityLog {
  signedIn(request: FastifyRequest): void;
  signedOut(request: FastifyRequest): void;
  /** `reason.message` says more than the person is told. */
  signInRefused(request: FastifyRequest, reason: { code: string; message: string }): void;
  /** Writes nothing about problems that have to do with neither credentials nor rights. */
  refused(request: FastifyRequest, problem: Problem): void;
}

const STATUSES: readonly number[] = [401, 403, 429];

export function createSecurityLog(
  log: Log,
  trustedProxies: readonly Cidr[],
  where: 'console' | 'portal' = 'console',
): SecurityLog {
  const fieldsOf = (request: FastifyRequest) => ({
    ...(request.actor !== undefined && { actor: request.actor }),
    real_ip: callerAddress(request.raw, trustedProxies),
  });
  return {
    signedIn: (request) => log.info(fieldsOf(request), `signed in to the ${where}`),
    signedOut: (request) => log.info(fieldsOf(request), `signed out of the ${where}`),
    signInRefused(request, { code, message }) {
      log.warn({ ...fieldsOf(request), error: code, reason: message }, 'OpenID Connect refused');
    },
    refused(request, { status, code }) {
      if (!STATUSES.includes(status) || isWithoutCredentials(request)) return;
      const { method } = request;
      const path = loggedPath(request);
      log.warn({ ...fieldsOf(request), status, error: code, method, path }, 'refused');
    },
  };
}

/** A browser that has not signed in yet asks who it is. Nobody has tried anything. */
function isWithoutCredentials({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.authorization === undefined && headers.cookie === undefined;
}
