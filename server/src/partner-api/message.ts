import type { IncomingMessage } from 'node:http';
import { isValidMessage } from '../listening/raw-reply.ts';
import { Refusal } from './refusal.ts';

export function checkMessage(request: IncomingMessage): void {
  if (!isValidMessage(request)) throw new Refusal('malformedRequest');
}
