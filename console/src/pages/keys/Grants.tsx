/** What a key may call: the 43 endpoints by area, each with its limit and its usage. */

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Area, areas, shortPath } from '../../../../server/src/catalogue.ts';
import type { Grant, Key, Partner, Usage } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { Toggle } from '../../ui/forms/Toggle.tsx';
import tableStyles from '../../ui/lists/Table.module.css';
import { announce } from '../../ui/page/announce.ts';
import { LiveMark } from '../../ui/page/LiveMark.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { ProblemNote } from '../../ui/page/ProblemNote.tsx';
import { Section } from '../../ui/page/Section.tsx';
import textStyles from '../../ui/text/text.module.css';
import { limitInWords } from '../../widgets/limit-words.ts';
import { UsageBar } from '../../widgets/UsageBar.tsx';
import { GrantDialog } from './GrantDialog.tsx';
import styles from './Grants.module.css';

const USAGE_POLL_MS = 3_000;
const OVERVIEW = 'overview/';

interface Props {
  apiKey: Key;
  partner: Partner | undefined;
}

export function Grants({ apiKey, partner }: Props) {
  const { call, queries, mayChange } = useEnvironment();
  const id = apiKey.key_id;
  const grants = useLiveQuery(queries.grants(id));
  const usage = useLiveQuery(queries.usage(id), USAGE_POLL_MS);
  const [editing, setEditing] = useState<Grant>();
  const editable = mayChange && !apiKey.revoked_at;

  const put = useMutation({
    mutationFn: (grant: Grant) => call('putGrant', { key_id: id, body: grant }),
    onSuccess: ({ endpoint }) => announce(`Saved ${shortPath(endpoint)}.`),
  });
  const withdraw = useMutation({
    mutationFn: (endpoint: string) => call('deleteGrant', { key_id: id, query: { endpoint } }),
    onSuccess: (_, endpoint) => announce(`${shortPath(endpoint)} is no longer granted.`),
  });
  const problem = put.error ?? withdraw.error;
  const used = new Map(usage.data?.items.map((one) => [one.endpoint, one]));

  return (
    <Section title="Endpoints and limits" aside={<LiveMark query={usage} />}>
      {problem && <ProblemNote problem={problem} />}
      <Loaded query={grants}>
        {({ items }) => {
          const granted = new Map(items.map((grant) => [grant.endpoint, grant]));
          return (
            <div className={tableStyles.frame} data-table>
              <table
                className={`${tableStyles.table} ${styles.grants}`}
                aria-label="Endpoints and limits"
              >
                <thead>
                  <tr>
                    <th scope="col">Endpoint</th>
                    <th scope="col">Active</th>
                    <th scope="col">Debug</th>
                    <th scope="col">Limit</th>
                    <th scope="col">Used now</th>
                    {editable && (
                      <th scope="col">
                        <span className={textStyles.visuallyHidden}>Change</span>
                      </th>
                    )}
                  </tr>
                </thead>
                {areas.map((area) => (
                  <AreaRows
                    key={area.name}
                    area={area}
                    granted={granted}
                    used={used}
                    editable={editable}
                    busy={put.isPending || withdraw.isPending}
                    onPut={(grant) => put.mutate(grant)}
                    onWithdraw={(endpoint) => withdraw.mutate(endpoint)}
                    onEdit={setEditing}
                  />
                ))}
              </table>
            </div>
          );
        }}
      </Loaded>
      {editing && (
        <GrantDialog
          apiKey={apiKey}
          partner={partner}
          grant={editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Section>
  );
}

interface RowsProps {
  area: Area;
  granted: Map<string, Grant>;
  used: Map<string, Usage>;
  editable: boolean;
  busy: boolean;
  onPut(grant: Grant): void;
  onWithdraw(endpoint: string): void;
  onEdit(grant: Grant): void;
}

function AreaRows({ area, granted, used, editable, busy, onPut, onWithdraw, onEdit }: RowsProps) {
  return (
    <tbody>
      <tr className={styles.area}>
        <th scope="rowgroup" colSpan={editable ? 6 : 5}>
          {area.name}
        </th>
      </tr>
      {area.endpoints.map((entry) => {
        const grant = granted.get(entry.endpoint);
        const path = shortPath(entry.endpoint);
        if (!grant) {
          return (
            <tr key={path} className={styles.missing}>
              <td data-label="Endpoint">
                <code>{path}</code>
              </td>
              <td data-label="Active" colSpan={4}>
                not granted
              </td>
              {editable && (
                <td className={styles.buttons} data-label="">
                  <Button kind="quiet" disabled={busy} onClick={() => onPut(grantFrom(entry))}>
                    Grant
                    <span className={textStyles.visuallyHidden}> {path}</span>
                  </Button>
                </td>
              )}
            </tr>
          );
        }
        return (
          <tr key={path} className={grant.is_active ? undefined : styles.inactive}>
            <td data-label="Endpoint">
              <code>{path}</code>
            </td>
            <td data-label="Active">
              {editable ? (
                <Toggle
                  hideLabel
                  label={`${path} active`}
                  checked={grant.is_active}
                  // A partner can always ask what its key may do.
                  disabled={busy || path === OVERVIEW}
                  onChange={(is_active) => onPut({ ...grant, is_active })}
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
              <span className={grant.is_limited ? undefined : textStyles.dim}>
                {limitInWords(grant)}
              </span>
            </td>
            <td data-label="Used now">
              <UsageBar usage={used.get(entry.endpoint)} path={path} />
            </td>
            {editable && (
              <td className={styles.buttons} data-label="">
                <Button kind="quiet" onClick={() => onEdit(grant)}>
                  Edit<span className={textStyles.visuallyHidden}> limit of {path}</span>
                </Button>
                {path !== OVERVIEW && (
                  <Button kind="quiet" disabled={busy} onClick={() => onWithdraw(entry.endpoint)}>
                    Withdraw<span className={textStyles.visuallyHidden}> {path}</span>
                  </Button>
                )}
              </td>
            )}
          </tr>
        );
      })}
    </tbody>
  );
}

function grantFrom(entry: Area['endpoints'][number]): Grant {
  return {
    endpoint: entry.endpoint,
    is_active: true,
    is_debug_mode: false,
    is_limited: entry.isLimited,
    requests_number: entry.requestsNumber,
    seconds_number: entry.secondsNumber,
  };
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
