/** What a key may call: the 43 endpoints by area, each with its limit and how much of it is used. */
import { useState } from 'react';
import { useAction } from '../action.ts';
import { announce } from '../announce.ts';
import { type Area, areas, shortPath } from '../areas.ts';
import { useDesk } from '../desk.tsx';
import { useReading } from '../live.ts';
import type { Grant, Key, Partner, Usage } from '../model.ts';
import { windowOf } from '../times.ts';
import { Button } from './Button.tsx';
import { GrantDialog } from './GrantDialog.tsx';
import { LiveMark } from './LiveMark.tsx';
import { Loaded } from './Loaded.tsx';
import { Section } from './Page.tsx';
import { ProblemNote } from './ProblemNote.tsx';
import { Toggle } from './Toggle.tsx';
import { UsageBar } from './UsageBar.tsx';

const USAGE_POLL_MS = 3_000;
const OVERVIEW = 'overview/';

interface Props {
  apiKey: Key;
  partner: Partner | undefined;
}

export function Grants({ apiKey, partner }: Props) {
  const { api, mayChange } = useDesk();
  const id = apiKey.key_id;
  const grants = useReading(`grants ${id}`, () => api.keys.grants(id));
  const usage = useReading(`usage ${id}`, () => api.keys.usage(id), USAGE_POLL_MS);
  const [editing, setEditing] = useState<Grant>();
  const editable = mayChange && !apiKey.revoked_at;

  const put = useAction(async (grant: Grant) => {
    await api.keys.grant(id, grant);
    announce(`Saved ${shortPath(grant.endpoint)}.`);
    await Promise.all([grants.reload(), usage.reload()]);
  });
  const withdraw = useAction(async (endpoint: string) => {
    await api.keys.withdraw(id, endpoint);
    announce(`${shortPath(endpoint)} is no longer granted.`);
    await Promise.all([grants.reload(), usage.reload()]);
  });
  const problem = put.problem ?? withdraw.problem;
  const used = new Map(usage.data?.items.map((one) => [one.endpoint, one]));

  return (
    <Section title="Endpoints and limits" aside={<LiveMark reading={usage} />}>
      {problem && <ProblemNote problem={problem} />}
      <Loaded reading={grants}>
        {({ items }) => {
          const granted = new Map(items.map((grant) => [grant.endpoint, grant]));
          return (
            <div className="table-frame">
              <table className="table grants" aria-label="Endpoints and limits">
                <thead>
                  <tr>
                    <th scope="col">Endpoint</th>
                    <th scope="col">Active</th>
                    <th scope="col">Debug</th>
                    <th scope="col">Limit</th>
                    <th scope="col">Used now</th>
                    {editable && (
                      <th scope="col">
                        <span className="visually-hidden">Change</span>
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
                    busy={put.busy || withdraw.busy}
                    onPut={(grant) => void put.run(grant)}
                    onWithdraw={(endpoint) => void withdraw.run(endpoint)}
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
          onSaved={() => {
            void grants.reload();
            void usage.reload();
          }}
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
      <tr className="grants-area">
        <th scope="rowgroup" colSpan={editable ? 6 : 5}>
          {area.name}
        </th>
      </tr>
      {area.endpoints.map((entry) => {
        const grant = granted.get(entry.endpoint);
        const path = shortPath(entry.endpoint);
        if (!grant) {
          return (
            <tr key={path} className="grants-missing">
              <td data-label="Endpoint">
                <code>{path}</code>
              </td>
              <td data-label="Active" colSpan={4}>
                not granted
              </td>
              {editable && (
                <td className="grants-buttons" data-label="">
                  <Button kind="quiet" disabled={busy} onClick={() => onPut(grantFrom(entry))}>
                    Grant
                    <span className="visually-hidden"> {path}</span>
                  </Button>
                </td>
              )}
            </tr>
          );
        }
        return (
          <tr key={path} className={grant.is_active ? undefined : 'grants-inactive'}>
            <td data-label="Endpoint">
              <code>{path}</code>
            </td>
            <td data-label="Active">
              {editable ? (
                <Toggle
                  hideLabel
                  label={`${path} active`}
                  checked={grant.is_active}
                  // A partner must always be able to ask what its key may do.
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
            <td data-label="Limit" className="grants-limit">
              {limitInWords(grant)}
            </td>
            <td data-label="Used now">
              <UsageBar usage={used.get(entry.endpoint)} path={path} />
            </td>
            {editable && (
              <td className="grants-buttons" data-label="">
                <Button kind="quiet" onClick={() => onEdit(grant)}>
                  Edit<span className="visually-hidden"> limit of {path}</span>
                </Button>
                {path !== OVERVIEW && (
                  <Button kind="quiet" disabled={busy} onClick={() => onWithdraw(entry.endpoint)}>
                    Withdraw<span className="visually-hidden"> {path}</span>
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

function limitInWords(grant: Grant) {
  if (!grant.is_limited) return <span className="dim">no limit</span>;
  return (
    <span>
      <strong>{grant.requests_number}</strong> per {windowOf(grant.seconds_number)}
    </span>
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
