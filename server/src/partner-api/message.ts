import type { IncomingMessage } from 'node:http';
import { isValidMessage } from '../listening/valid-message.ts';
import { Refusal } from './refusal.ts';

export function checkMessage(request: IncomingMessage): void {
  if (!isValidMessage(request)) throw new Refusal('malformedRequest');
}
