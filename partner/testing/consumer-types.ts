/** What a partner's TypeScript relies on; compiled against the published types by package.long.test.ts. */
import {
  type Client,
  createClient,
  createFetchHandler,
  createPacer,
  createVerifier,
  type EndpointEntry,
  PartnerApiError,
  type PartnerApiErrorCode,
  type Refusal,
  type SignedWebhook,
  type TokenStore,
  type WebhookToSign,
} from '@bellhop/partner';
import { signWebhook } from '@bellhop/partner/node';
import { checkReceiver, type Report } from '@bellhop/partner/receiver-check';

const tokenStore: TokenStore = { remember: async (_token: string, _until: number) => true };
const verifier = createVerifier({ apiKey: ['old', 'new'], tokenStore, toleranceSeconds: false });

export async function reasonOf(body: Uint8Array, headers: Headers): Promise<Refusal | 'fine'> {
  const result = await verifier.verify(body, headers);
  if (result.ok) {
    const type: 'created' | 'updated' | 'cancelled' | undefined = result.event.type;
    return type ? 'fine' : 'fine';
  }
  // Every reason is covered: a new one would fail to compile here.
  const advice: Record<Refusal, string> = {
    malformed: '400',
    bad_signature: '401',
    stale: '401',
    replayed: '401',
  };
  return advice[result.reason] ? result.reason : 'fine';
}

export const signer: (webhook: WebhookToSign) => SignedWebhook = signWebhook;

export const handle: (request: Request) => Promise<Response> = createFetchHandler({
  apiKey: 'key',
  onEvent: async (event, { webhookId }) => void [event.partnerOrderId, webhookId?.length],
});

const client: Client = createClient({ baseUrl: 'https://api.example', keyId: '1', apiKey: 'key' });

export async function limitOf(endpoint: string): Promise<number | PartnerApiErrorCode> {
  try {
    const entries: readonly EndpointEntry[] = await createPacer({ client }).limits();
    return entries.find((entry) => entry.endpoint === endpoint)?.requests_number ?? 0;
  } catch (error) {
    if (error instanceof PartnerApiError && error.code === 'api_access_disabled') {
      return 'api_access_disabled';
    }
    throw error;
  }
}

export async function failedLines(url: string): Promise<string[]> {
  const report: Report = await checkReceiver({ url, keys: ['key'], timeoutMs: 1_000 });
  return report.lines.flatMap(({ name, outcome }) => (outcome === 'failed' ? [name] : []));
}
