/** One Bellhop for all tests of a file, because starting one per test would take most of the time. */
import { afterAll, beforeAll } from 'vitest';
import type { Running } from '../src/main/main.ts';
import { helpersOf, startHere, type TestBellhop } from '../testing/bellhop.ts';

export type SharedBellhop = Omit<TestBellhop, 'stop'> & {
  /** The headers of a caller at an address that no other test uses: see `TRUSTING`. */
  fromNewAddress(): { 'x-forwarded-for': string };
};

/** Lets a test choose its address, so that one test's failed sign-ins do not lock out another. */
const TRUSTING = { BELLHOP_TRUSTED_PROXIES: '127.0.0.1' };

export function sharedBellhop(
  settings: () => Record<string, string> | Promise<Record<string, string>> = () => ({}),
): SharedBellhop {
  let running: Running;
  let bellhop: TestBellhop;
  let addressesGiven = 0;
  beforeAll(async () => {
    running = await startHere({ ...TRUSTING, ...(await settings()) });
    bellhop = helpersOf(running);
  });
  afterAll(() => running?.stop());
  return {
    get addresses() {
      return bellhop.addresses;
    },
    support: (...args) => bellhop.support(...args),
    newKey: (...args) => bellhop.newKey(...args),
    fromNewAddress() {
      addressesGiven++;
      return { 'x-forwarded-for': `198.18.${addressesGiven >> 8}.${addressesGiven & 255}` };
    },
  };
}
