/** One endpoint of a key: whether it has it, its limit, and how it is used. */
import { Link } from '@tanstack/react-router';
import type { Grant, Usage } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { Toggle } from '../../ui/forms/Toggle.tsx';
import { Badge } from '../../ui/text/Badge.tsx';
import textStyles from '../../ui/text/text.module.css';
import type { Calls } from '../../widgets/endpoints/by-area.ts';
import { limitInWords } from '../../widgets/limit-words.ts';
import { UsageBar } from '../../widgets/UsageBar.tsx';
import { counted } from '../../words/en/counted.ts';
import { defaultOf, hasDefaultLimit, isDefault } from './default-grant.ts';
import type { EndpointRow } from './endpoint-groups.ts';
import styles from './Grants.module.css';

const OVERVIEW = 'overview/';

interface Props {
  row: EndpointRow;
  keyId: string;
  usage: Usage | undefined;
  editable: boolean;
  busy: boolean;
  isSelected: boolean;
  onSelect(isSelected: boolean): void;
  onPut(grant: Grant): void;
  onOff(grant: Grant, isWithdrawn: boolean): void;
  onEdit(grant: Grant): void;
}

export function GrantRow({ row, keyId, usage, editable, busy, ...props }: Props) {
  const { endpoint, path, grant, used } = row;
  const { isSelected, onSelect, onPut, onOff, onEdit } = props;
  const lastDays = (
    <td data-label="Last 7 days" className={styles.days}>
      <LastDays used={used} keyId={keyId} endpoint={endpoint} />
    </td>
  );
  if (!grant) {
    return (
      <tr className={styles.missing}>
        <td data-label="Endpoint">
          <code className={editable ? styles.unselectable : undefined}>{path}</code>
        </td>
        <td data-label="Active" colSpan={4}>
          not granted
        </td>
        {lastDays}
        {editable && (
          <td className={styles.buttons} data-label="">
            <Button kind="quiet" disabled={busy} onClick={() => onPut(defaultOf({ endpoint }))}>
              Grant
              <span className={textStyles.visuallyHidden}> {path}</span>
            </Button>
          </td>
        )}
      </tr>
    );
  }
  return (
    <tr className={grant.is_active ? undefined : styles.inactive}>
      <td data-label="Endpoint">
        <span className={styles.endpoint}>
          {editable ? (
            <label className={styles.select}>
              <input
                type="checkbox"
                aria-label={`Select ${path}`}
                checked={isSelected}
                onChange={({ target }) => onSelect(target.checked)}
              />
              <code>{path}</code>
            </label>
          ) : (
            <code>{path}</code>
          )}
          {!isDefault(grant) && <Badge tone="accent">changed</Badge>}
        </span>
      </td>
      <td data-label="Active">
        {editable ? (
          <Toggle
            hideLabel
            label={`${path} active`}
            checked={grant.is_active}
            // A partner can always ask what its key may do.
            disabled={busy || path === OVERVIEW}
            onChange={(is_active) =>
              is_active ? onPut({ ...grant, is_active }) : onOff(grant, false)
            }
          />
        ) : (
          yesNo(grant.is_active)
        )}
      </td>
      <td data-label="Debug">
        {editable ? (
          <Toggle
            hideLabel
            label={`${path} debug mode`}
            checked={grant.is_debug_mode}
            disabled={busy}
            onChange={(is_debug_mode) => onPut({ ...grant, is_debug_mode })}
          />
        ) : (
          yesNo(grant.is_debug_mode)
        )}
      </td>
      <td data-label="Limit" className={styles.limit}>
        <span className={grant.is_limited ? undefined : textStyles.dim}>{limitInWords(grant)}</span>
        {!hasDefaultLimit(grant) && (
          <span className={styles.default}>default {limitInWords(defaultOf(grant))}</span>
        )}
      </td>
      <td data-label="Used now">
        <UsageBar usage={usage} path={path} />
      </td>
      {lastDays}
      {editable && (
        <td className={styles.buttons} data-label="">
          <Button kind="quiet" onClick={() => onEdit(grant)}>
            Edit<span className={textStyles.visuallyHidden}> limit of {path}</span>
          </Button>
          {path !== OVERVIEW && (
            <Button kind="quiet" disabled={busy} onClick={() => onOff(grant, true)}>
              Withdraw<span className={textStyles.visuallyHidden}> {path}</span>
            </Button>
          )}
        </td>
      )}
    </tr>
  );
}

interface LastDaysProps {
  used: Calls | undefined;
  keyId: string;
  endpoint: string;
}

/** How often it was called, and how often its limit was used up. */
function LastDays({ used, keyId, endpoint }: LastDaysProps) {
  const { links } = useEnvironment();
  if (!used) return <span className={textStyles.dim}>–</span>;
  const code = 'endpoint_exceeded_limit';
  return (
    <>
      {counted(used.calls, 'call')}
      {used.refused > 0 && (
        <Link className={styles.refused} {...links.calls({ key_id: keyId, endpoint, code })}>
          {counted(used.refused, 'refused', 'refused')}
        </Link>
      )}
    </>
  );
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
