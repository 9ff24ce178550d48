import { Progress } from '@base-ui/react/progress';
import styles from './ProgressBar.module.css';

export function ProgressBar({ label, value, max }: { label: string; value: number; max: number }) {
  return (
    <Progress.Root value={value} max={max} aria-label={label}>
      <Progress.Track className={styles.track}>
        <Progress.Indicator className={styles.fill} />
      </Progress.Track>
    </Progress.Root>
  );
}
