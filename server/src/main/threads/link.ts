/** Calls between two threads over a message port. Each side offers functions and calls the other's. */
import { ConfigError, type StartRefusal } from '../../base/config/config.ts';

/** What a MessagePort and a Worker have in common. */
interface Port {
  postMessage(message: Message): void;
  on(event: 'message', listener: (message: Message) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
}

/** What a side may offer. Arguments and results must be values that a message can carry. */
type Offer<Side> = { [Name in keyof Side]: (...args: never[]) => unknown };

export interface Link<Theirs extends Offer<Theirs>> {
  /** Calls a function of the other side; rejects if that fails or the other side is gone. */
  call<Name extends keyof Theirs & string>(
    name: Name,
    ...args: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>>;
  /** The other side is gone: rejects every call in progress and every later one. */
  close(reason: Error): void;
}

interface CallMessage {
  call: number;
  name: string;
  args: readonly unknown[];
}

type Message =
  | CallMessage
  | { reply: number; value: unknown }
  | { reply: number; error: { message: string; refusal: StartRefusal | undefined } };

// biome-ignore lint/suspicious/noExplicitAny: a message carries any value; `call` gives it its type.
type Waiting = PromiseWithResolvers<any>;

/** The other thread links the same port with `Theirs` as what it offers. */
export function link<Mine extends Offer<Mine>, Theirs extends Offer<Theirs>>(
  port: Port,
  mine: Mine,
): Link<Theirs> {
  const offered = new Map<string, unknown>(Object.entries(mine));
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let closedBy: Error | undefined;

  async function answer({ call, name, args }: CallMessage): Promise<void> {
    try {
      const run = offered.get(name);
      if (typeof run !== 'function') throw new Error(`The other thread offers no "${name}".`);
      port.postMessage({ reply: call, value: await run(...args) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const refusal = error instanceof ConfigError ? error.refusal : undefined;
      port.postMessage({ reply: call, error: { message, refusal } });
    }
  }

  function close(reason: Error): void {
    closedBy ??= reason;
    for (const { reject } of waiting.values()) reject(closedBy);
    waiting.clear();
  }

  port.on('message', (message) => {
    if ('call' in message) {
      void answer(message);
      return;
    }
    const caller = waiting.get(message.reply);
    waiting.delete(message.reply);
    if ('value' in message) {
      caller?.resolve(message.value);
    } else {
      const { message: text, refusal } = message.error;
      caller?.reject(refusal ? new ConfigError(text, refusal) : new Error(text));
    }
  });
  // A Worker has no such event: start-services-thread.ts watches how it ends.
  port.on('close', () => close(new Error('The other thread is gone.')));

  return {
    async call(name, ...args) {
      if (closedBy) throw closedBy;
      const id = ++calls;
      // Posted first: a value that no message can carry throws here and leaves nobody waiting.
      port.postMessage({ call: id, name, args });
      const reply: Waiting = Promise.withResolvers();
      waiting.set(id, reply);
      return reply.promise;
    },
    close,
  };
}
