import { Command, Option } from '@commander-js/extra-typings';
import { openBackOffice } from './back-office.ts';
import { UsageError } from './failures.ts';
import { examples } from './help-style.ts';
import {
  apiKeyOption,
  backOfficeOption,
  httpUrl,
  jsonOption,
  tokenOption,
  wholeNumber,
} from './options.ts';
import { registerReceiver, type SandboxReceiver } from './sandbox-receiver.ts';
import { openPort } from './small-server.ts';
import { stopAsked } from './stop-asked.ts';
import { clockTime, paint, printable, shownId } from './terminal.ts';
import { type Arrival, createListener } from './webhook-listener.ts';

const HOST = '127.0.0.1';
const LONGEST_TOLERANCE_SECONDS = 31 * 86_400;

export const listenCommand = new Command()
  .usage('--sandbox [options]\n       bellhop listen --api-key <key> [options]')
  .description(`Receives webhooks on this machine and shows each one: when it arrived, what it says, whether it is genuine or why not, which attempt it is (counted since the listener started), and how it was answered. Ctrl-C ends it.

With --sandbox there is nothing to set up. It registers itself in the sandbox of the server that runs here and prints the command that sends a first webhook. It creates a partner, a key and a midoffice once per port, and keeps the API key for the next start in the data folder (listen-4242.key, readable only for you).`)
  .option('--sandbox', 'set everything up in the sandbox')
  .option('--new-key', 'with --sandbox: replace the API key that an earlier start kept')
  .addOption(apiKeyOption('the API key to verify with, if you set up the midoffice yourself'))
  .addOption(
    new Option('--port <n>', 'the port to listen on; 0 picks a free one')
      .argParser(wholeNumber('--port', 0, 65_535))
      .default(4242),
  )
  .addOption(
    new Option('--path <path>', 'the path of the hook').argParser(hookPath).default('/hook'),
  )
  .addOption(
    new Option('--reply <status>', 'the status for genuine webhooks; others get 400 or 401')
      .argParser(wholeNumber('--reply', 200, 599))
      .default(200),
  )
  .addOption(
    new Option(
      '--forward <url>',
      'forward each webhook unchanged, and answer as that URL does',
    ).argParser(httpUrl('--forward')),
  )
  .addOption(
    new Option('--tolerance <seconds>', 'how far a timestamp may be from now, in seconds, or "off"')
      .argParser(tolerance)
      .default(15 as number | false),
  )
  .addOption(backOfficeOption)
  .addOption(tokenOption)
  .addOption(jsonOption('print one JSON object per line'))
  .addHelpText(
    'after',
    examples(
      'bellhop listen --sandbox',
      'bellhop listen --sandbox --reply 500',
      'bellhop listen --sandbox --forward http://127.0.0.1:3000/webhooks',
      'bellhop listen --api-key 022a2cf1-d279-02f3-9c3c-596aa09b827b --port 9000 --tolerance off',
    ),
  )
  .action(async (options, command) => {
    const { sandbox, apiKey: given, path, reply, forward, json } = options;
    const isGiven = (name: 'apiKey' | 'reply') => command.getOptionValueSource(name) === 'cli';
    if (isGiven('reply') && forward !== undefined) {
      throw new UsageError(
        'Use either --reply or --forward: the URL that webhooks are forwarded to decides the answer.',
      );
    }
    if (sandbox && isGiven('apiKey')) {
      throw new UsageError('Use either --sandbox or --api-key: the sandbox creates its own key.');
    }
    if (!sandbox && !given) {
      throw new UsageError(
        'Which key signs the webhooks? Pass --api-key (or set BELLHOP_API_KEY), or let --sandbox set everything up.',
      );
    }
    if (options.newKey && !sandbox) {
      throw new UsageError('--new-key needs --sandbox: other keys are rotated in the back office.');
    }
    const backOffice = sandbox ? openBackOffice(options) : undefined;

    const stopping = stopAsked();
    const apiKey = Promise.withResolvers<string>();
    const server = createListener({
      path,
      reply,
      forwardTo: forward,
      toleranceSeconds: options.tolerance,
      apiKey: apiKey.promise,
      onArrival: (arrival) => console.log(json ? arrivalJson(arrival) : arrivalLine(arrival)),
    });
    // The port comes first: what is registered in the sandbox is named after it.
    const url = `http://${HOST}:${await openPort(server, options.port, HOST)}${path}`;
    try {
      const registered =
        backOffice &&
        (await registerReceiver(backOffice, url, Number(new URL(url).port), {
          newKey: options.newKey ?? false,
        }));
      const more = options.backOffice ? ` --back-office ${options.backOffice}` : '';
      const trigger = registered && `npx bellhop trigger --partner ${registered.partnerId}${more}`;
      console.log(json ? readyJson(url, registered, trigger) : ready(url, registered, trigger));
      apiKey.resolve(registered?.apiKey ?? (given as string));
      await stopping;
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

function hookPath(text: string): string {
  if (/^\/[^\s?#]*$/.test(text)) return text;
  throw new UsageError(`--path must begin with "/", such as /hook, not ${printable(text)}.`);
}

function tolerance(text: string): number | false {
  if (text === 'off') return false;
  return wholeNumber('--tolerance', 0, LONGEST_TOLERANCE_SECONDS, ' or "off"')(text);
}

function ready(url: string, registered?: SandboxReceiver, trigger?: string): string {
  const listening = `Listening on ${paint('bold', url)}; Ctrl-C ends it.`;
  if (!registered) return listening;
  return `${listening}
The sandbox sends it the webhooks of this partner:

  partner  ${registered.partnerId}
  API key  ${registered.apiKey}
           ${registered.keyFile ? `kept for the next start in ${registered.keyFile}` : 'could not be kept in the data folder: the next start gets a new one'}

Send a first webhook from another terminal:

  ${paint('cyan', trigger ?? '')}
`;
}

function readyJson(url: string, registered?: SandboxReceiver, trigger?: string): string {
  return JSON.stringify({
    kind: 'listening',
    url,
    ...(registered && {
      partner_id: registered.partnerId,
      midoffice_id: registered.midofficeId,
      key_id: registered.keyId,
      api_key: registered.apiKey,
      key_file: registered.keyFile ?? null,
      trigger,
    }),
  });
}

export function arrivalLine(arrival: Arrival, isTerminal?: boolean): string {
  const { at, verdict, answered, attempt, forwardError } = arrival;
  const answer = `answered ${answered}`;
  const time = paint('dim', clockTime(at));
  if (verdict === 'not_the_hook') {
    const what = `${arrival.method} ${printable(arrival.path)}`;
    return `${time}  ${paint('dim', `${what}  not the hook`)}  ${answer}`;
  }
  const words = [
    time,
    (arrival.type ?? '?').padEnd('cancelled'.length),
    shownId(arrival.partnerOrderId ?? '?', isTerminal),
    verdict === 'verified'
      ? paint('green', 'verified')
      : paint('red', `refused: ${verdict} (${arrival.message})`),
    ...(attempt === undefined ? [] : [`attempt ${attempt}`.padEnd('attempt 22'.length)]),
    answered < 300 ? answer : paint('yellow', answer),
    ...(forwardError ? [paint('red', `not forwarded to ${printable(forwardError)}`)] : []),
  ];
  return words.join('  ');
}

function arrivalJson({ at, ...arrival }: Arrival): string {
  return JSON.stringify({
    kind: 'webhook',
    at: at.toISOString(),
    method: arrival.method,
    path: arrival.path,
    verified: arrival.verdict === 'verified',
    refusal: arrival.verdict === 'verified' ? null : arrival.verdict,
    message: arrival.message ?? null,
    type: arrival.type ?? null,
    partner_order_id: arrival.partnerOrderId ?? null,
    webhook_id: arrival.webhookId ?? null,
    attempt: arrival.attempt ?? null,
    answered: arrival.answered,
    forward_error: arrival.forwardError ?? null,
  });
}
