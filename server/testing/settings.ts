/** Settings that many tests need. */
import { randomBytes } from 'node:crypto';

export function newMasterKey(): string {
  return randomBytes(32).toString('base64');
}

const LOOPBACK = '127.0.0.0/8';

/** Lets webhooks go to receivers of the test, which listen on this machine. */
export const LOOPBACK_RECEIVERS = {
  BELLHOP_PRODUCTION_RECEIVER_ALLOW: LOOPBACK,
  BELLHOP_SANDBOX_RECEIVER_ALLOW: LOOPBACK,
};
