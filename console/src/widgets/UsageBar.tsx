import { Meter } from '@base-ui/react/meter';
import type { Usage } from '../api/types.ts';
import meterStyles from '../ui/lists/Meter.module.css';
import { classes } from '../ui/text/classes.ts';
import { relativeTime } from '../ui/text/durations.ts';
import { inDigits } from '../ui/text/numbers.ts';
import { useNow } from '../ui/text/Time.tsx';
import textStyles from '../ui/text/text.module.css';
import { exactTime } from '../ui/text/times.ts';
import { words } from '../words/words.ts';

const NEARLY = 0.8;

/** How much of the limit is used; endpoints without a limit are not counted. */
export function UsageBar({ usage, path }: { usage: Usage | undefined; path: string }) {
  const now = useNow(5_000);
  if (!usage) return <span className={textStyles.dim}>–</span>;
  if (!usage.is_limited) return <span className={textStyles.dim}>{words.limits.uncounted}</span>;
  const { used, requests_number, resets_at } = usage;
  const share = used / requests_number;
  const tone = share >= 1 ? meterStyles.full : share >= NEARLY && meterStyles.near;
  const back = resets_at && used > 0 ? words.limits.oneBack(relativeTime(resets_at, now)) : '';
  return (
    <Meter.Root
      className={classes(meterStyles.meter, tone)}
      value={Math.min(used, requests_number)}
      max={requests_number}
      aria-label={words.limits.used(path)}
      aria-valuetext={words.limits.usedOf(inDigits(used), inDigits(requests_number))}
    >
      <Meter.Track className={meterStyles.track}>
        <Meter.Indicator className={meterStyles.fill} />
      </Meter.Track>
      <span className={meterStyles.words} title={resets_at ? exactTime(resets_at) : undefined}>
        {inDigits(used)} / {inDigits(requests_number)}{' '}
        <span className={textStyles.dim}>{back}</span>
      </span>
    </Meter.Root>
  );
}
