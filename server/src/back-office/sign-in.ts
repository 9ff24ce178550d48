/** Who is asking, by Bearer token, and whether their role allows it. */
import type { FastifyRequest } from 'fastify';
import type { Store } from '../store/store.ts';
import { Problem } from '../support/problem.ts';
import { findToken, type TokenRole } from '../support/tokens.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** For the audit: the name and id of the token. */
    actor?: string;
  }
}

const READERS: readonly TokenRole[] = ['viewer', 'support', 'admin'];
const CHANGERS: readonly TokenRole[] = ['support', 'admin'];
const ORDERERS: readonly TokenRole[] = ['orders', 'admin'];
const ADMINS: readonly TokenRole[] = ['admin'];

type Guard = (request: FastifyRequest) => Promise<void>;

export interface SignIn {
  reads: Guard;
  changes: Guard;
  administers: Guard;
  reportsOrders: Guard;
}

export function createSignIn(store: Store): SignIn {
  function allow(roles: readonly TokenRole[]): Guard {
    return async (request) => {
      const token = /^bearer +(\S{1,256})$/i.exec(request.headers.authorization ?? '')?.[1];
      const found = token === undefined ? undefined : await findToken(store, token);
      if (!found) throw new Problem('unauthenticated');
      if (!roles.includes(found.role as TokenRole)) {
        throw new Problem(
          'forbidden',
          `This needs the role ${roles.join(' or ')}; the token "${found.name}" has ${found.role}.`,
        );
      }
      request.actor = `${found.name} (${found.id})`;
    };
  }
  return {
    reads: allow(READERS),
    changes: allow(CHANGERS),
    administers: allow(ADMINS),
    reportsOrders: allow(ORDERERS),
  };
}

/** Set by the guard of every route that changes something. */
export function actorOf(request: FastifyRequest): string {
  if (request.actor === undefined) throw new Error('a change on a route without a guard');
  return request.actor;
}
