import type { ReceivedEvent } from './body.ts';
import type { HeaderSource } from './headers.ts';
import { createVerifier, type Refusal, type VerifierOptions } from './verify.ts';

/**
 * What every handler does: verify, pass the event to the partner's code, and answer so that Bellhop does
 * the right thing. 200: delivered. 400 and 401: not a webhook, or not genuine. 500: the partner's own code
 * failed, so Bellhop tries again later.
 */
export interface ReceiverOptions extends VerifierOptions {
  /** Called for each genuine webhook. When it returns, a 200 is sent; when it throws, a 500. */
  onEvent(event: ReceivedEvent, delivery: DeliveryDetails): void | Promise<void>;
  /** Called for each refused request, for example to log it. */
  onRefused?(reason: Refusal | 'too_large', message: string): void;
  /** Called with errors thrown by `onEvent`, `onRefused` or the token store. The webhook will come again. */
  onError?(error: unknown): void;
  /** Larger bodies are refused without reading them. Default 64 KiB; a webhook has less than 28 KiB. */
  maxBodyBytes?: number;
}

export interface DeliveryDetails {
  /** The same on every attempt of one event. Store it to recognize repeated events. */
  webhookId: string | undefined;
  token: string;
  /** Unix seconds. */
  timestamp: number;
}

export interface Answer {
  status: 200 | 400 | 401 | 413 | 500;
  body: string;
}

export const DEFAULT_MAX_BODY_BYTES = 65_536;

export interface Receiver {
  readonly maxBodyBytes: number;
  receive(body: string | Uint8Array, headers: HeaderSource): Promise<Answer>;
  refuseTooLarge(): Answer;
  /** 500, for an error on the receiver's own side. */
  fail(error: unknown): Answer;
}

export function createReceiver(options: ReceiverOptions): Receiver {
  const verifier = createVerifier(options);
  const maxBodyBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;

  function refuseTooLarge(): Answer {
    try {
      options.onRefused?.('too_large', `The body is larger than ${maxBodyBytes} bytes.`);
      return answer(413, 'too_large');
    } catch (error) {
      return fail(error);
    }
  }

  function fail(error: unknown): Answer {
    try {
      options.onError?.(error);
    } catch {
      // The service gets its answer whatever the partner's code does.
    }
    return answer(500, 'failed');
  }

  async function judge(body: string | Uint8Array, headers: HeaderSource): Promise<Answer> {
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    if (bytes.length > maxBodyBytes) return refuseTooLarge();
    const verification = await verifier.verify(body, headers);
    if (!verification.ok) {
      options.onRefused?.(verification.reason, verification.message);
      return answer(verification.reason === 'malformed' ? 400 : 401, verification.reason);
    }
    const { event, token, timestamp, webhookId } = verification;
    await options.onEvent(event, { webhookId, token, timestamp });
    return answer(200, 'ok');
  }

  return {
    maxBodyBytes,
    refuseTooLarge,
    fail,
    // An unhandled rejection would crash a Node process, or leave the service without an answer.
    receive: (body, headers) => judge(body, headers).catch(fail),
  };
}

function answer(status: Answer['status'], word: string): Answer {
  return { status, body: JSON.stringify({ status: word }) };
}
