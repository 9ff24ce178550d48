import { Switch } from '@base-ui/react/switch';

interface Props {
  label: string;
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
  /** In tables the column's head is the visible label. */
  hideLabel?: boolean;
}

export function Toggle({ label, checked, onChange, disabled = false, hideLabel = false }: Props) {
  const control = (
    <Switch.Root
      className="switch"
      checked={checked}
      onCheckedChange={onChange}
      disabled={disabled}
      aria-label={label}
    >
      <Switch.Thumb className="switch-thumb" />
    </Switch.Root>
  );
  if (hideLabel) return control;
  return (
    <span className="toggle">
      {control}
      <span aria-hidden="true">{label}</span>
    </span>
  );
}
