/**
 * `overview/` with the plugins that people use: Basic authentication, and a limit for each key that is kept in memory. It
 * sends the very bytes of Bellhop's body, which it fetches at its start. Arguments: the folder with the packages,
 * Bellhop's address, the file of Authorization values, the limit, and whether it logs.
 */
import { timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

interface Request {
  partnerKey: string;
  method: string;
  url: string;
  log: { info(line: object): void };
}

interface Reply {
  statusCode: number;
  elapsedTime: number;
  type(value: string): Reply;
  send(body: string): Reply;
}

interface App {
  basicAuth: unknown;
  addHook(name: 'onResponse', hook: (request: Request, reply: Reply) => Promise<void>): void;
  decorateRequest(name: string, value: string): void;
  register(plugin: unknown, options: object): Promise<void>;
  get(path: string, options: object, handler: (request: Request, reply: Reply) => void): void;
  listen(options: object): Promise<string>;
}

const [folder = '', address = '', authorizations = '', max = '', logs = ''] = process.argv.slice(2);
const required = createRequire(`${folder}/`);
const fastify: (options: object) => App = required('fastify');

const values = (await readFile(authorizations, 'utf8')).trim().split('\n');
const secrets = new Map(
  values.map((value) => {
    const [id = '', secret = ''] = atob(value.slice('Basic '.length)).split(':');
    return [id, Buffer.from(secret)];
  }),
);

async function validate(id: string, secret: string, request: Request): Promise<void> {
  const expected = secrets.get(id);
  const given = Buffer.from(secret);
  if (expected?.length !== given.length || !timingSafeEqual(expected, given)) {
    throw new Error('Unauthorized');
  }
  request.partnerKey = id;
}

const overview = await fetch(address, { headers: { authorization: values[0] as string } });
const type = overview.headers.get('content-type') as string;
const body = await overview.text();

const isLogging = logs === 'logs';
// By itself, it would write two lines for each call, each at once. Ours go out in blocks too.
const { destination }: { destination(options: object): object } = required('pino');
const stream = destination({ dest: 2, sync: false, minLength: 8_192 });
const app = fastify({
  logger: isLogging && { stream },
  disableRequestLogging: true,
});
if (isLogging) {
  app.addHook('onResponse', async ({ log, method, url, partnerKey }, { statusCode, elapsedTime }) =>
    log.info({ method, url, partnerKey, statusCode, elapsedTime }),
  );
}
app.decorateRequest('partnerKey', '');
await app.register(required('@fastify/basic-auth'), { validate, authenticate: true });
await app.register(required('@fastify/rate-limit'), {
  max: Number(max),
  timeWindow: 1_000,
  // After the authentication.
  hook: 'preHandler',
  keyGenerator: ({ partnerKey }: Request) => partnerKey,
});
app.get(new URL(address).pathname, { onRequest: app.basicAuth }, (_request, reply) => {
  reply.type(type).send(body);
});
process.once('SIGTERM', () => process.exit(0));
console.log(`ready ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
