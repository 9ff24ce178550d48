import type { FastifyInstance } from 'fastify';

/** Records every route added from now on, and returns which methods an address takes. */
export function noteMethods(app: FastifyInstance): (address: string) => string[] {
  const routes: { parts: string[]; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ parts: url.split('/'), methods: [method].flat() });
  });
  return (address) => {
    const [path = ''] = address.split('?');
    const fitting = routes.filter(({ parts }) => fits(path.split('/'), parts));
    return [...new Set(fitting.flatMap(({ methods }) => methods))];
  };
}

function fits(path: string[], parts: string[]): boolean {
  return (
    path.length === parts.length &&
    parts.every((part, i) => (part.startsWith(':') ? path[i] !== '' : part === path[i]))
  );
}
