/**
 * Where a link leads that works once. Opening it changes nothing, because mail programs and scanners open links before
 * people do: the page has a button, and only that uses the link up. It needs no script.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SECRET_PARAMETER } from '../base/logging/logged-path.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { Problem, type ProblemCode } from '../resources/problem.ts';
import { environmentOf, type GuardParts } from './guard.ts';

export interface ButtonPage {
  /** The first part of its address; the environment and the secret of the link follow. */
  under: string;
  /** The page with the button. */
  show(environment: SupportEnvironment, token: string): Promise<string>;
  /** What the button does. */
  press(
    environment: SupportEnvironment,
    token: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply>;
  /** The problem of a link that does not work any more, which is a page to people. */
  dead: { code: ProblemCode; page: string };
}

export function addButtonPage(
  app: FastifyInstance,
  { environments, ownPages }: Pick<GuardParts, 'environments' | 'ownPages'>,
  { under, show, press, dead }: ButtonPage,
): void {
  const address = `/${under}/:environment/${SECRET_PARAMETER}`;
  const schema = { hide: true };
  const tokenOf = ({ params }: FastifyRequest) => (params as { token: string }).token;

  app.get(address, { schema }, async (request, reply) => {
    const environment = environmentOf(environments, request);
    // Without a referrer, browsers say `Origin: null` when the button is pressed, and that cannot be told from another
    // site. This policy never sends the path, which holds the token.
    reply.header('referrer-policy', 'strict-origin');
    return unlessDead(reply, async () => html(reply, await show(environment, tokenOf(request))));
  });

  const onRequest = async (request: FastifyRequest) => ownPages.checkOrigin(request);
  app.post(address, { schema, onRequest }, async (request, reply) => {
    const environment = environmentOf(environments, request);
    return unlessDead(reply, () => press(environment, tokenOf(request), request, reply));
  });

  async function unlessDead(
    reply: FastifyReply,
    work: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem && error.code === dead.code)) throw error;
      return html(reply.code(error.status), dead.page);
    }
  }
}

export function html(reply: FastifyReply, page: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page);
}
