/** What each code of a recorded call means, and what to do about it: for support, partners and the console. */

import { failures } from '../../gateway/recorded-calls/recorded-call.ts';
import { type RefusalKind, refusals } from '../../gateway/refusal.ts';

export type Explanation = Pick<RefusalKind, 'code' | 'meaning' | 'advice'>;

const kinds: readonly RefusalKind[] = Object.values(refusals);
const explanations: readonly Explanation[] = [...kinds, ...Object.values(failures)];

export const callCodes: readonly string[] = [...new Set(explanations.map(({ code }) => code))];

/** Two codes have two meanings each, which their status tells apart. */
export function explain(code: string, status: number): Explanation | undefined {
  return (
    kinds.find((kind) => kind.code === code && kind.status === status) ??
    explanations.find((one) => one.code === code)
  );
}
