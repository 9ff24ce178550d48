/**
 * The partner API as OpenAPI, from the catalogue and the refusals. Bellhop answers the overview. The
 * other endpoints belong to the booking core, so the document says how they are forwarded and what Bellhop itself
 * may answer, and invents nothing.
 */
import {
  type Area,
  areas,
  type CatalogueEntry,
  OVERVIEW,
  shortPath,
} from '../../base/catalogue.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import { VERSION } from '../../base/version.ts';
import { refusals } from '../../gateway/refusal.ts';
import { LARGEST_BODY_BYTES } from '../../gateway/request-body.ts';
import { refusalsBut, replies, replyHeaders, replySchemas } from './partner-replies.ts';
import { webhookPathItems, webhooks } from './webhook.ts';

const methods = ['get', 'post'] as const;
type Method = (typeof methods)[number];

const { upstreamNotConfigured, upstreamUnreachable, upstreamTimeout } = refusals;

function overview(method: Method): object {
  return {
    tags: ['overview'],
    operationId: `overview_${method}`,
    summary: 'The endpoints that this key may use, and the limit of each',
    ...(method === 'post' && { description: 'The same as GET; a body is ignored.' }),
    parameters: [{ $ref: '#/components/parameters/DebugMode' }],
    responses: {
      200: { $ref: '#/components/responses/Overview' },
      ...refusalsBut(upstreamNotConfigured, upstreamUnreachable, upstreamTimeout),
    },
  };
}

const DebugMode = {
  name: 'X-Debug-Mode',
  in: 'header',
  description:
    'Only where the endpoint has `is_debug_mode`. The overview then fills `debug`; on the other endpoints, the header is passed on.',
  schema: { type: 'string', pattern: '^[Oo][Nn]$', examples: ['on'] },
};

/** Any type is forwarded. Java clients of openapi-generator need one that is named. */
const ForwardedBody = {
  description: `As the booking core defines it. At most ${LARGEST_BODY_BYTES / 1_048_576} MiB.`,
  content: { 'application/json': { schema: {} }, '*/*': { schema: {} } },
};

const FORWARDED =
  'Forwarded to the booking core with its query, body and headers, but without the credentials. The methods, parameters, bodies and replies of this endpoint are those of the booking core and are not described here.';

function forwarded(area: Area, entry: CatalogueEntry, method: Method): object {
  const path = shortPath(entry.endpoint);
  const reply = { $ref: '#/components/responses/Forwarded' };
  return {
    tags: [tagOf(area)],
    operationId: `${path.replaceAll('/', '_')}${method}`,
    summary: path,
    description: `${FORWARDED} ${limitOf(entry)}`,
    parameters: [{ $ref: '#/components/parameters/DebugMode' }],
    ...(method === 'post' && {
      requestBody: { $ref: '#/components/requestBodies/ForwardedBody' },
    }),
    responses: { 200: reply, ...refusalsBut(), default: reply },
  };
}

function limitOf({ isLimited, requestsNumber, secondsNumber }: CatalogueEntry): string {
  return isLimited
    ? `A new key may call it ${requestsNumber} times in ${secondsNumber} seconds.`
    : 'A new key may call it without limit.';
}

function tagOf({ name }: Area): string {
  return name.toLowerCase();
}

function pathItems(): Record<string, object> {
  return Object.fromEntries(
    areas.flatMap((area) =>
      area.endpoints.map((entry) => {
        const describe = (method: Method) =>
          entry.endpoint === OVERVIEW ? overview(method) : forwarded(area, entry, method);
        return [
          `/${entry.endpoint}`,
          Object.fromEntries(methods.map((method) => [method, describe(method)])),
        ];
      }),
    ),
  );
}

/** Partners try their calls in the sandbox, so the first server is that one. */
const serverDescriptions: Readonly<Record<EnvironmentName, string>> = {
  sandbox: 'Sandbox',
  production: 'Production',
};

/** `urls`: where partners find the partner API, by environment. */
export function partnerDocument(urls: ReadonlyMap<EnvironmentName, string>): object {
  const { [`/${OVERVIEW}`]: own, ...others } = pathItems();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bellhop partner API',
      version: VERSION,
      description:
        'For partners. Every reply of Bellhop is one envelope: `data`, `debug`, `error`, `status`. In a failure, `error` is an object with a `code` and a `message`. Some services are set up to answer with the bare code in `error` instead, and with `data` always null; `@bellhop/partner` reads both. Production and sandbox have keys of their own. All paths also work without the trailing slash, and with HEAD. Only the overview is answered by Bellhop; calls to the other endpoints are checked and limited in the same way, and then forwarded to the booking core.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: Object.entries(serverDescriptions).flatMap(([name, description]) => {
      const url = urls.get(name as EnvironmentName);
      return url === undefined ? [] : { url, description };
    }),
    security: [{ key: [] }],
    tags: [
      { name: 'overview', description: 'What a key may call, and how often.' },
      ...areas.map((area) => ({
        name: tagOf(area),
        description: 'Forwarded to the booking core.',
      })),
      { name: 'webhook', description: 'What a midoffice receives.' },
    ],
    // The overview first, because it is what Bellhop itself answers.
    paths: { [`/${OVERVIEW}`]: own, ...others },
    webhooks,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'basic',
          description: 'The key id as user name, the API key as password.',
        },
      },
      pathItems: webhookPathItems,
      schemas: replySchemas,
      parameters: { DebugMode },
      requestBodies: { ForwardedBody },
      headers: replyHeaders,
      responses: replies,
    },
  };
}
