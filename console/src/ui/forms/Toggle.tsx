import { Switch } from '@base-ui/react/switch';
import styles from './Toggle.module.css';

interface Props {
  label: string;
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
  /** In a table the column's heading is the visible label. */
  hideLabel?: boolean;
}

export function Toggle({ label, checked, onChange, disabled = false, hideLabel = false }: Props) {
  const control = (
    <Switch.Root
      className={styles.switch}
      checked={checked}
      onCheckedChange={onChange}
      disabled={disabled}
      aria-label={label}
    >
      <Switch.Thumb className={styles.thumb} />
    </Switch.Root>
  );
  if (hideLabel) return control;
  return (
    <span className={styles.toggle}>
      {control}
      <span aria-hidden="true">{label}</span>
    </span>
  );
}
