/** Recovers deliveries in steps, so that the progress shows and can be stopped. */
import type { EnvironmentCall } from '../../api/client.ts';
import type { Span } from '../../widgets/sending/ResendDialog.tsx';
import type { Part } from '../../widgets/sending/use-sending.ts';

const STEPS = 20;
const SMALLEST_STEP = 25;
const LARGEST_STEP = 2_000;

export async function countRecoverable(
  call: EnvironmentCall,
  id: string,
  span: Span,
  signal: AbortSignal,
): Promise<number> {
  const { requeued } = await call(
    'recoverMidoffice',
    { id, body: { ...span, dry_run: true } },
    signal,
  );
  return requeued;
}

export async function recoverOldest(call: EnvironmentCall, id: string, span: Span): Promise<Part> {
  const body = { ...span, limit: 1 };
  const { requeued, deliveries = [] } = await call('recoverMidoffice', { id, body });
  return { count: requeued, deliveries };
}

/** Calls `onStep` after each step with what it has requeued; ends early when `signal` aborts. */
export async function recoverInSteps(
  call: EnvironmentCall,
  id: string,
  span: Span,
  count: number,
  onStep: (step: Part) => void,
  signal: AbortSignal,
): Promise<number> {
  const limit = Math.min(LARGEST_STEP, Math.max(SMALLEST_STEP, Math.ceil(count / STEPS)));
  let done = 0;
  while (!signal.aborted && done < count) {
    const step = { ...span, limit: Math.min(limit, count - done) };
    const {
      requeued,
      remaining,
      deliveries = [],
    } = await call('recoverMidoffice', {
      id,
      body: step,
    });
    done += requeued;
    onStep({ count: requeued, deliveries });
    if (requeued === 0 || remaining === 0) break;
  }
  return done;
}
