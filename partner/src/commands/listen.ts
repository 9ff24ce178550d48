/** `listen`, of this package and of `bellhop`, which can also register it in the sandbox. */
import type { RequestListener, Server } from 'node:http';
import { printable } from '../printable.ts';
import { arrivalJson, arrivalLine } from './arrival.ts';
import { apiKeyOption, type DeclaredCommand, httpUrl, wholeNumber } from './declared.ts';
import { UsageError } from './failures.ts';
import { openPort } from './small-server.ts';
import { stopAsked } from './stop-asked.ts';
import { paint } from './terminal.ts';
import { createListener } from './webhook-listener.ts';

const HOST = '127.0.0.1';
const LONGEST_TOLERANCE_SECONDS = 31 * 86_400;

export const listenCommand = {
  name: 'listen',
  summary: 'receive webhooks on this machine, verify and show them',
  usage: ['--api-key <key> [options]'],
  description:
    'Receives webhooks on this machine and shows each one: when it arrived, what it says, whether it is genuine or why not, which attempt it is (counted since the listener started), and how it was answered. Ctrl-C ends it.',
  options: {
    apiKey: apiKeyOption('the API key to verify with, if you set up the midoffice yourself'),
    port: {
      flags: '--port <n>',
      description: 'the port to listen on; 0 picks a free one',
      read: wholeNumber('--port', 0, 65_535),
      default: 4242,
    },
    path: {
      flags: '--path <path>',
      description: 'the path of the hook',
      read: hookPath,
      default: '/hook',
    },
    reply: {
      flags: '--reply <status>',
      description: 'the status for genuine webhooks; others get 400 or 401',
      read: wholeNumber('--reply', 200, 599),
      default: 200,
    },
    forward: {
      flags: '--forward <url>',
      description: 'forward each webhook unchanged, and answer as that URL does',
      read: httpUrl('--forward'),
    },
    tolerance: {
      flags: '--tolerance <seconds>',
      description: 'how far a timestamp may be from now, in seconds, or "off"',
      read: tolerance,
      default: 15,
    },
    json: { flags: '--json', description: 'print one JSON object per line' },
  },
  examples: [
    'listen --api-key 022a2cf1-d279-02f3-9c3c-596aa09b827b --port 9000 --tolerance off',
    'listen --api-key 022a2cf1-d279-02f3-9c3c-596aa09b827b --reply 500',
    'listen --api-key 022a2cf1-d279-02f3-9c3c-596aa09b827b --forward http://127.0.0.1:3000/webhooks',
  ],
} as const satisfies DeclaredCommand;

export interface ListenOptions {
  apiKey?: string;
  port: number;
  path: string;
  reply: number;
  forward?: string;
  tolerance: number | false;
  json?: boolean;
}

interface Surroundings {
  /** That of node:http, which a program loads as it sees fit. */
  createServer(listener: RequestListener): Server;
  /** Called when the port is open. */
  register(url: string): Promise<Registered>;
}

export interface Registered {
  /** Verifies the webhooks. */
  apiKey: string;
  /** Printed when it listens: for people below the address, for programs beside it. */
  text?: string;
  facts?: object;
}

/** Resolves when it was asked to stop. */
export async function runListen(
  options: ListenOptions,
  isGiven: (option: 'reply') => boolean,
  { createServer, register }: Surroundings,
): Promise<void> {
  const { path, reply, forward, json } = options;
  if (isGiven('reply') && forward !== undefined) {
    throw new UsageError(
      'Use either --reply or --forward: the URL that webhooks are forwarded to decides the answer.',
    );
  }
  const stopping = stopAsked();
  let know: (apiKey: string) => void = () => {};
  const apiKey = new Promise<string>((resolve) => {
    know = resolve;
  });
  const server = createServer(
    createListener({
      path,
      reply,
      forwardTo: forward,
      toleranceSeconds: options.tolerance,
      apiKey,
      onArrival: (arrival) => console.log(json ? arrivalJson(arrival) : arrivalLine(arrival)),
    }),
  );
  // The port comes first: what is registered in the sandbox is named after it.
  const url = `http://${HOST}:${await openPort(server, options.port, HOST)}${path}`;
  try {
    const registered = await register(url);
    console.log(json ? readyJson(url, registered) : readyText(url, registered));
    know(registered.apiKey);
    await stopping;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function readyText(url: string, { text }: Registered): string {
  const listening = `Listening on ${paint('bold', url)}; Ctrl-C ends it.`;
  return text === undefined ? listening : `${listening}\n${text}`;
}

function readyJson(url: string, { facts }: Registered): string {
  return JSON.stringify({ kind: 'listening', url, ...facts });
}

function hookPath(text: string): string {
  if (/^\/[^\s?#]*$/.test(text)) return text;
  throw new UsageError(`--path must begin with "/", such as /hook, not ${printable(text)}.`);
}

function tolerance(text: string): number | false {
  if (text === 'off') return false;
  return wholeNumber('--tolerance', 0, LONGEST_TOLERANCE_SECONDS, ' or "off"')(text);
}
