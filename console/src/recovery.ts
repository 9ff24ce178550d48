/** Recovering what was given up, in steps, so that one sees it go on and can stop it. */
import type { Api } from './api.ts';

const STEPS = 20;
const SMALLEST_STEP = 25;
const LARGEST_STEP = 2_000;

export interface RecoverySpan {
  since: string;
  until: string;
}

export async function countRecoverable(api: Api, id: string, span: RecoverySpan): Promise<number> {
  const { requeued } = await api.midoffices.recover(id, { ...span, dry_run: true });
  return requeued;
}

/** Calls `onStep` with how many are requeued so far; ends early once `signal` says so. */
export async function recoverInSteps(
  api: Api,
  id: string,
  span: RecoverySpan,
  count: number,
  onStep: (done: number) => void,
  signal: AbortSignal,
): Promise<number> {
  const limit = Math.min(LARGEST_STEP, Math.max(SMALLEST_STEP, Math.ceil(count / STEPS)));
  let done = 0;
  while (!signal.aborted && done < count) {
    const { requeued, remaining } = await api.midoffices.recover(id, { ...span, limit });
    done += requeued;
    onStep(done);
    if (requeued === 0 || remaining === 0) break;
  }
  return done;
}
