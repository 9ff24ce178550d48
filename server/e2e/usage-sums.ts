/** The history of a key's calls, as support reads it. */
import type { TestBellhop } from '../testing/bellhop.ts';

interface Item {
  at: string;
  endpoint: string;
  admitted: number;
  refused: number;
  failed: number;
  peak_share: number | null;
}

type Reader = Pick<TestBellhop, 'support'>;

export async function historyOf({ support }: Reader, keyId: string, query = ''): Promise<Item[]> {
  return (await support('GET', `/support/v1/sandbox/keys/${keyId}/history${query}`)).body.items;
}

/** The sums over both hours, if the test runs across the end of one. */
export async function sumsOf(bellhop: Reader, keyId: string) {
  const sums: Record<string, Omit<Item, 'at' | 'endpoint'>> = {};
  for (const { endpoint, ...item } of await historyOf(bellhop, keyId)) {
    const sum = sums[endpoint] ?? { admitted: 0, refused: 0, failed: 0, peak_share: null };
    sums[endpoint] = {
      admitted: sum.admitted + item.admitted,
      refused: sum.refused + item.refused,
      failed: sum.failed + item.failed,
      peak_share:
        item.peak_share === null ? sum.peak_share : Math.max(sum.peak_share ?? 0, item.peak_share),
    };
  }
  return sums;
}
