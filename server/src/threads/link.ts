/** Calls between two threads over a message port: each side offers functions and calls the other's. */
import { ConfigError } from '../config/config.ts';

/** What a MessagePort and a Worker have in common. */
interface Port {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: Message) => void): unknown;
}

type Functions = Record<string, (...args: never[]) => unknown>;

export type Remote<Offered> = {
  [Name in keyof Offered]: Offered[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

export interface Link<Theirs> {
  /** The other side's functions. */
  remote: Remote<Theirs>;
  /** The other side is gone: rejects every call that waits for it, and every later one. */
  close(reason: Error): void;
}

interface CallMessage {
  call: number;
  name: string;
  args: never[];
}

type Message =
  | CallMessage
  | { reply: number; value: unknown }
  | { reply: number; error: { message: string; isConfigError: boolean } };

/** `Theirs` is what the other side offers; it must be offered under the same names. */
export function link<Theirs>(port: Port, mine: object): Link<Theirs> {
  const offered = mine as Functions;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let calls = 0;
  let closedBy: Error | undefined;

  async function answer({ call, name, args }: CallMessage): Promise<void> {
    try {
      const value = await offered[name]?.(...args);
      port.postMessage({ reply: call, value });
    } catch (error) {
      const { message } = error as Error;
      const isConfigError = error instanceof ConfigError;
      port.postMessage({ reply: call, error: { message, isConfigError } });
    }
  }

  port.on('message', (message: Message) => {
    if ('call' in message) {
      void answer(message);
      return;
    }
    const caller = waiting.get(message.reply);
    waiting.delete(message.reply);
    if ('value' in message) {
      caller?.resolve(message.value);
    } else if ('error' in message) {
      const { message: text, isConfigError } = message.error;
      caller?.reject(isConfigError ? new ConfigError(text) : new Error(text));
    }
  });

  const remote = new Proxy({} as Remote<Theirs>, {
    get:
      (_target, name) =>
      (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          if (closedBy) return reject(closedBy);
          waiting.set(++calls, { resolve, reject });
          port.postMessage({ call: calls, name, args });
        }),
  });

  return {
    remote,
    close(reason) {
      closedBy ??= reason;
      for (const { reject } of waiting.values()) reject(closedBy);
      waiting.clear();
    },
  };
}
