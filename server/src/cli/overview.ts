import { createClient, type EndpointEntry, PartnerApiError } from '@bellhop/partner';
import { reasonOf } from '@bellhop/partner/command-line';
import { Command, Option } from '@commander-js/extra-typings';
import { CommandFailed, UsageError } from './failures.ts';
import { examples } from './help-style.ts';
import { sandboxAddress } from './local-server.ts';
import { apiKeyOption, httpUrl, jsonOption, trimmed } from './options.ts';
import { type Cell, countdown, jsonText, printable, span, table, widthOf } from './terminal.ts';

const LONGEST_CALL_MS = 30_000;

export const overviewCommand = new Command()
  .usage('--key-id <id> --api-key <key> [options]')
  .description(
    'Asks the partner API which endpoints a key may call and how often, and prints a table. The call counts against the limit of overview/ itself.',
  )
  .addOption(
    new Option('--url <url>', 'the partner API to ask')
      .argParser(httpUrl('--url'))
      .default(undefined, "this machine's sandbox, at BELLHOP_SANDBOX_PORT"),
  )
  .addOption(
    new Option('--key-id <id>', 'the id of the key').env('BELLHOP_KEY_ID').argParser(trimmed),
  )
  .addOption(apiKeyOption('the API key'))
  .addOption(jsonOption('print the entries as JSON, as the API sent them'))
  .addHelpText(
    'after',
    examples(
      'bellhop overview --key-id 1234 --api-key 022a2cf1-d279-02f3-9c3c-596aa09b827b',
      "bellhop overview --url https://api.example.com --json | jq -r '.[].endpoint'",
    ),
  )
  .action(async ({ url, keyId, apiKey, json }) => {
    if (!keyId) throw new UsageError('Which key? Pass --key-id, or set BELLHOP_KEY_ID.');
    if (!apiKey) throw new UsageError('Pass the API key with --api-key, or set BELLHOP_API_KEY.');
    const entries = await ask(url ?? sandboxAddress(), keyId, apiKey);
    console.log(json ? jsonText(entries, 2) : overviewTable(entries, process.stdout.columns));
  });

async function ask(baseUrl: string, keyId: string, apiKey: string): Promise<EndpointEntry[]> {
  try {
    const signal = AbortSignal.timeout(LONGEST_CALL_MS);
    return await createClient({ baseUrl, keyId, apiKey }).overview(signal);
  } catch (error) {
    if (error instanceof PartnerApiError) throw new CommandFailed(refusal(error, baseUrl));
    throw new CommandFailed(
      `No partner API answers at ${baseUrl} (${reasonOf(error)}). Start one with "npx bellhop", or pass its address with --url.`,
    );
  }
}

const REMEDIES: Record<string, string> = {
  incorrect_credentials:
    'Check key id and API key. Keys belong to one environment: sandbox keys work only in the sandbox.',
  invalid_auth_header: 'Check key id and API key: they contain characters that cannot be sent.',
  api_access_disabled: 'The key is disabled or its partner is suspended. Ask API support.',
  not_allowed_host: "This machine's address is not on the key's allow-list. Ask API support.",
  endpoint_not_active: 'overview/ is switched off for this key. Ask API support.',
  unreadable_reply: 'Check --url: the server at that address is not a partner API.',
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

/** A narrow terminal gets a narrow table: shorter names, and no words that every row repeats. */
export function overviewTable(entries: readonly EndpointEntry[], columns = Infinity): string {
  const rows = entries.map((entry): Cell[] => [
    printable(entry.endpoint),
    // Readers first look for endpoints that they cannot call.
    entry.is_active ? { text: 'yes', colour: 'green' } : { text: 'no', colour: 'red' },
    entry.is_debug_mode ? 'yes' : 'no',
    entry.is_limited ? 'yes' : 'no',
    limitInWords(entry),
  ]);
  const wide = table(['endpoint', 'is_active', 'is_debug_mode', 'is_limited', 'limit'], rows);
  if (widthOf(wide) <= columns) return wide;
  const base = commonFolder(entries.map(({ endpoint }) => endpoint));
  const narrowRows = rows.map(([, active, debug, , limit], at): Cell[] => [
    printable(entries[at]?.endpoint.slice(base.length) ?? ''),
    active ?? '',
    debug ?? '',
    String(limit).replace(/ requests?/, ''),
  ]);
  const endpoint = base ? `endpoint under ${printable(base)}` : 'endpoint';
  return table([endpoint, 'active', 'debug', 'limit'], narrowRows);
}

/** "api/b2b/v3/": what all of these paths begin with. A lone path keeps its whole name. */
function commonFolder([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return '';
  let folder = first;
  while (others.some((path) => !path.startsWith(folder))) folder = folder.replace(/[^/]*\/?$/, '');
  return folder;
}

/** "30 requests a minute". The numbers of an endpoint without a limit mean nothing. */
export function limitInWords(
  entry: Pick<EndpointEntry, 'is_limited' | 'requests_number' | 'seconds_number'>,
): string {
  if (!entry.is_limited) return 'no limit';
  const { requests_number: requests, seconds_number: seconds } = entry;
  const count = `${requests.toLocaleString('en')} request${requests === 1 ? '' : 's'}`;
  const time = span(seconds);
  return /^an? /.test(time) ? `${count} ${time}` : `${count} in ${time}`;
}
