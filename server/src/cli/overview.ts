import { createClient, type EndpointEntry, PartnerApiError } from '@bellhop/partner';
import { reasonOf } from './back-office.ts';
import { sandboxAddress } from './local-server.ts';
import type { Command } from './main.ts';
import { type Cell, countdown, printable, span, table } from './terminal.ts';
import { CommandFailed, readOptions, UsageError } from './usage.ts';

const LONGEST_CALL_MS = 30_000;

export const overviewCommand: Command = {
  summary: "show a key's endpoints and limits",
  help: `Usage: bellhop overview [--url URL] --key-id ID --api-key KEY [--json]

Asks the partner API what a key may call, and how often, and prints it as a table. The call counts
against the limit of overview/ itself.

Options:
  --url URL           partner API to ask; default: this machine's sandbox, BELLHOP_SANDBOX_PORT
  --key-id ID         the key's id; also BELLHOP_KEY_ID
  --api-key KEY       the API key; also BELLHOP_API_KEY, which other users of the machine cannot see
  --json              print the entries as they came

Examples:
  bellhop overview --key-id 1234 --api-key 022a2cf1-d279-02f3-9c3c-596aa09b827b
  bellhop overview --url https://api.example.com --json | jq -r '.[].endpoint'`,
  async run(args) {
    const { values } = readOptions('overview', args, {
      url: { type: 'string' },
      'key-id': { type: 'string' },
      'api-key': { type: 'string' },
      json: { type: 'boolean' },
    });
    const keyId = values['key-id'] || process.env.BELLHOP_KEY_ID?.trim();
    const apiKey = values['api-key'] || process.env.BELLHOP_API_KEY?.trim();
    if (!keyId) throw new UsageError('Which key? Give --key-id, or set BELLHOP_KEY_ID.');
    if (!apiKey)
      throw new UsageError('Its API key is missing. Give --api-key, or BELLHOP_API_KEY.');
    const entries = await ask(sandboxAddress(values.url), keyId, apiKey);
    console.log(values.json ? JSON.stringify(entries, null, 2) : overviewTable(entries));
    return 0;
  },
};

async function ask(baseUrl: string, keyId: string, apiKey: string): Promise<EndpointEntry[]> {
  try {
    const signal = AbortSignal.timeout(LONGEST_CALL_MS);
    return await createClient({ baseUrl, keyId, apiKey }).overview(signal);
  } catch (error) {
    if (error instanceof PartnerApiError) throw new CommandFailed(refusal(error, baseUrl));
    throw new CommandFailed(
      `No partner API answers at ${baseUrl} (${reasonOf(error)}). Start one with "npm start", or say where it is with --url.`,
    );
  }
}

const REMEDIES: Record<string, string> = {
  incorrect_credentials:
    'Check key id and API key, and that the key is of this environment: sandbox keys work in the sandbox only.',
  invalid_auth_header: 'Check key id and API key: they hold characters that cannot be sent.',
  api_access_disabled: 'The key is disabled or its partner suspended; ask API support.',
  not_allowed_host: "This machine's address is not on the key's allow-list; ask API support.",
  endpoint_not_active: 'overview/ is switched off for this key; ask API support.',
  unreadable_reply: 'Check --url: what answers there is not a partner API.',
};

function refusal(error: PartnerApiError, url: string): string {
  const { status, code, detail, requestId, retryAfterSeconds } = error;
  const remedy =
    retryAfterSeconds === undefined
      ? (REMEDIES[code] ?? detail)
      : `Try again in ${countdown(Math.max(retryAfterSeconds, 1))}.`;
  const request = requestId === undefined ? '' : ` (request ${printable(requestId)})`;
  const answer = `The service answered ${status}: ${printable(code)}.`;
  return `${url}: ${answer}${remedy ? ` ${printable(remedy)}` : ''}${request}`;
}

export function overviewTable(entries: readonly EndpointEntry[]): string {
  const rows = entries.map((entry): Cell[] => [
    printable(entry.endpoint),
    // What is not active cannot be called, which is what a reader looks for first.
    entry.is_active ? { text: 'yes', colour: 'green' } : { text: 'no', colour: 'red' },
    entry.is_debug_mode ? 'yes' : 'no',
    entry.is_limited ? 'yes' : 'no',
    limitInWords(entry),
  ]);
  return table(['endpoint', 'is_active', 'is_debug_mode', 'is_limited', 'limit'], rows);
}

/** "30 requests a minute"; of an endpoint without a limit the numbers mean nothing. */
export function limitInWords(entry: EndpointEntry): string {
  if (!entry.is_limited) return 'no limit';
  const { requests_number: requests, seconds_number: seconds } = entry;
  const count = `${requests.toLocaleString('en')} request${requests === 1 ? '' : 's'}`;
  const time = span(seconds);
  return /^an? /.test(time) ? `${count} ${time}` : `${count} in ${time}`;
}
