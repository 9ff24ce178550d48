/** Says that the page is live, and when it last was. */
import type { Reading } from '../live.ts';
import { spanOf } from '../times.ts';
import { useNow } from './Time.tsx';

export function LiveMark({ reading }: { reading: Reading<unknown> }) {
  const now = useNow();
  const { readAt, problem } = reading;
  if (readAt === undefined) return null;
  const seconds = Math.max(0, Math.round((now - readAt) / 1_000));
  return (
    <span className={`live ${problem ? 'live-lost' : ''}`}>
      <span className="live-dot" />
      {problem ? `Not reached for ${spanOf(seconds)}` : 'Live'}
    </span>
  );
}
