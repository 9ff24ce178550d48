import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BACK_OFFICE_HELP, backOfficeOptions, openBackOffice } from './back-office.ts';
import type { Command } from './main.ts';
import { registerReceiver, type SandboxReceiver } from './sandbox-receiver.ts';
import { clockTime, paint, printable } from './terminal.ts';
import { CommandFailed, readHttpUrl, readOptions, readWholeNumber, UsageError } from './usage.ts';
import { type Arrival, createListener } from './webhook-listener.ts';

const HOST = '127.0.0.1';
const DEFAULT_PORT = 4242;
const DEFAULT_TOLERANCE_SECONDS = 15;
const LONGEST_TOLERANCE_SECONDS = 31 * 86_400;

export const listenCommand: Command = {
  summary: 'receive webhooks here, verify and show each',
  help: `Usage: bellhop listen --sandbox [options]
       bellhop listen --api-key KEY [options]

A receiver on this machine that shows each webhook as it comes: when, what, whether it is genuine or
why not, which attempt it is (counted since the listener began), and what it was answered. Ctrl-C
ends it.

With --sandbox nothing has to be set up: it makes itself known to the sandbox of the server that
runs here (a partner, a key and a midoffice, made once per port; the API key is a new one at each start) and prints the command that sends
a first webhook. The server must permit receivers on this machine:
  BELLHOP_SANDBOX_RECEIVER_ALLOW=127.0.0.1/32 npm start

Options:
  --sandbox           set everything up in the sandbox
  --api-key KEY       key to verify with, for a midoffice set up by other means; also BELLHOP_API_KEY
  --port N            port to listen on; default ${DEFAULT_PORT}, 0 picks a free one
  --path PATH         path of the hook; default /hook
  --reply STATUS      what genuine webhooks are answered; default 200. Others get 400 or 401
  --forward URL       send each webhook on, as it came, and answer what URL answers
  --tolerance S       seconds that a timestamp may lie from now, or "off"; default ${DEFAULT_TOLERANCE_SECONDS}
${BACK_OFFICE_HELP}
  --json              print one JSON object a line

Examples:
  bellhop listen --sandbox
  bellhop listen --sandbox --reply 500
  bellhop listen --sandbox --forward http://127.0.0.1:3000/webhooks
  bellhop listen --api-key 022a2cf1-d279-02f3-9c3c-596aa09b827b --port 9000 --tolerance off`,
  async run(args) {
    const { values } = readOptions('listen', args, {
      ...backOfficeOptions,
      sandbox: { type: 'boolean' },
      'api-key': { type: 'string' },
      port: { type: 'string', default: String(DEFAULT_PORT) },
      path: { type: 'string', default: '/hook' },
      reply: { type: 'string' },
      forward: { type: 'string' },
      tolerance: { type: 'string', default: String(DEFAULT_TOLERANCE_SECONDS) },
      json: { type: 'boolean' },
    });
    const port = readWholeNumber('--port', values.port, 0, 65_535);
    const { path } = values;
    if (!/^\/[^\s?#]*$/.test(path)) {
      throw new UsageError(`--path must begin with "/", such as /hook, not ${printable(path)}.`);
    }
    if (values.reply !== undefined && values.forward !== undefined) {
      throw new UsageError('Either --reply or --forward: what is forwarded is answered there.');
    }
    const reply = readWholeNumber('--reply', values.reply ?? '200', 200, 599);
    const forwardTo = values.forward && readHttpUrl('--forward', values.forward);
    const toleranceSeconds =
      values.tolerance === 'off'
        ? false
        : readWholeNumber('--tolerance', values.tolerance, 0, LONGEST_TOLERANCE_SECONDS);
    if (values.sandbox && values['api-key'] !== undefined) {
      throw new UsageError('Either --sandbox or --api-key: the sandbox makes a key of its own.');
    }
    const given = values['api-key'] || process.env.BELLHOP_API_KEY?.trim();
    if (!values.sandbox && !given) {
      throw new UsageError(
        'Which key signs? Give --api-key (or BELLHOP_API_KEY), or let --sandbox set everything up.',
      );
    }
    const backOffice = values.sandbox ? openBackOffice(values) : undefined;

    const stopAsked = new Promise<void>((resolve) => {
      process.once('SIGTERM', resolve);
      process.once('SIGINT', resolve);
    });
    const apiKey = Promise.withResolvers<string>();
    const server = createListener({
      path,
      reply,
      forwardTo,
      toleranceSeconds,
      apiKey: apiKey.promise,
      onArrival: (arrival) =>
        console.log(values.json ? arrivalJson(arrival) : arrivalLine(arrival)),
    });
    // The port first: what is set up in the sandbox is named after it.
    const url = `http://${HOST}:${await open(server, port)}${path}`;
    try {
      const registered =
        backOffice && (await registerReceiver(backOffice, url, Number(new URL(url).port)));
      const more = values['back-office'] ? ` --back-office ${values['back-office']}` : '';
      const trigger = registered && `npx bellhop trigger --partner ${registered.partnerId}${more}`;
      console.log(
        values.json ? readyJson(url, registered, trigger) : ready(url, registered, trigger),
      );
      apiKey.resolve(registered?.apiKey ?? (given as string));
      await stopAsked;
    } finally {
      server.close();
      server.closeAllConnections();
    }
    return 0;
  },
};

async function open(server: Server, port: number): Promise<number> {
  server.listen(port, HOST);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'something else listens there' : code;
    throw new CommandFailed(`Port ${port} cannot be opened: ${why}. Choose another with --port.`);
  }
  return (server.address() as AddressInfo).port;
}

function ready(url: string, registered?: SandboxReceiver, trigger?: string): string {
  const listening = `Listening on ${paint('bold', url)}; Ctrl-C ends it.`;
  if (!registered) return listening;
  return `${listening}
The sandbox sends here what concerns partner ${registered.partnerId}, signed with the API key
${registered.apiKey}. Send a first webhook from another terminal:

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
      trigger,
    }),
  });
}

export function arrivalLine(arrival: Arrival): string {
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
    printable(arrival.partnerOrderId ?? '?'),
    verdict === 'verified'
      ? paint('green', 'verified')
      : paint('red', `refused: ${verdict} (${arrival.message})`),
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
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
