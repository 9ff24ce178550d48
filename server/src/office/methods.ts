/**
 * Which methods an address takes. The router knows, but only says whether one method has a route. And it looks for each
 * method alone, so `GET …/deliveries/bulk` would be answered as a delivery whose id is "bulk".
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withoutOrigin } from '../listener/valid-message.ts';

interface Pattern {
  url: string;
  parts: readonly string[];
  methods: string[];
}

export interface Methods {
  /** Empty if there is nothing at the address. */
  at(address: string): readonly string[];
  /** Call it when all routes are added: fixed addresses take no methods of the `:id` beside them. */
  refuseOthers(refuse: (request: FastifyRequest, reply: FastifyReply) => void): void;
}

/** Records every route added from now on. */
export function noteMethods(app: FastifyInstance): Methods {
  const patterns = new Map<string, Pattern>();
  let isNoting = true;
  app.addHook('onRoute', ({ url, method }) => {
    if (!isNoting) return;
    const pattern = patterns.get(url) ?? { url, parts: url.split('/'), methods: [] };
    pattern.methods.push(...[method].flat());
    patterns.set(url, pattern);
  });

  const fitting = (parts: readonly string[]) =>
    [...patterns.values()].filter((pattern) => fits(parts, pattern.parts));

  return {
    at: (address) => mostSpecific(fitting(partsOf(address)))?.methods ?? [],
    refuseOthers(refuse) {
      isNoting = false;
      for (const { url, parts, methods } of patterns.values()) {
        const beside = fitting(parts).flatMap((pattern) => pattern.methods);
        const others = [...new Set(beside)].filter((method) => !methods.includes(method));
        if (others.length === 0) continue;
        app.route({
          url,
          method: others,
          exposeHeadRoute: false,
          schema: { hide: true },
          // Before the body is read.
          onRequest: refuse,
          handler: refuse,
        });
      }
    },
  };
}

/** As the router reads an address: it may have an origin, and letters may be encoded. */
function partsOf(address: string): string[] {
  const [path = ''] = withoutOrigin(address).split(/[?#]/);
  try {
    return decodeURI(path).split('/');
  } catch {
    return [];
  }
}

function fits(path: readonly string[], parts: readonly string[]): boolean {
  return (
    path.length === parts.length &&
    parts.every((part, i) => (isId(part) ? path[i] !== '' : part === path[i]))
  );
}

/** The earlier its first id, the less specific it is. */
function mostSpecific(patterns: readonly Pattern[]): Pattern | undefined {
  const rank = ({ parts }: Pattern) => parts.map((part) => (isId(part) ? 1 : 0)).join('');
  let best = patterns[0];
  for (const one of patterns) if (best && rank(one) < rank(best)) best = one;
  return best;
}

function isId(part: string): boolean {
  return part.startsWith(':');
}
