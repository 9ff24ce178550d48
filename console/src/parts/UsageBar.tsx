import { Meter } from '@base-ui/react/meter';
import type { Usage } from '../model.ts';
import { relativeTime, utcTime } from '../times.ts';
import { useNow } from './Time.tsx';

const NEARLY = 0.8;

/** How much of the window is used up; uncounted where there is no limit. */
export function UsageBar({ usage, path }: { usage: Usage | undefined; path: string }) {
  const now = useNow(5_000);
  if (!usage) return <span className="dim">–</span>;
  if (!usage.is_limited) return <span className="dim">not counted</span>;
  const { used, requests_number, resets_at } = usage;
  const share = used / requests_number;
  const tone = share >= 1 ? 'meter-full' : share >= NEARLY ? 'meter-near' : '';
  const frees = resets_at && used > 0 ? `frees ${relativeTime(resets_at, now)}` : '';
  return (
    <Meter.Root
      className={`meter ${tone}`}
      value={Math.min(used, requests_number)}
      max={requests_number}
      aria-label={`Used of ${path}`}
      aria-valuetext={`${used} of ${requests_number}`}
    >
      <Meter.Track className="meter-track">
        <Meter.Indicator className="meter-fill" />
      </Meter.Track>
      <span className="meter-words" title={resets_at ? utcTime(resets_at) : undefined}>
        {used} / {requests_number} <span className="dim">{frees}</span>
      </span>
    </Meter.Root>
  );
}
