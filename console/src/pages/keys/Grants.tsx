/** What a key may call: the 43 endpoints, those in use first, each with its limit and its usage. */

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { shortPath } from '../../../../server/src/base/catalogue.ts';
import type { Grant, Key, Partner } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { GroupHead } from '../../ui/lists/GroupHead.tsx';
import { useFolds } from '../../ui/lists/groups.ts';
import tableStyles from '../../ui/lists/Table.module.css';
import { announce } from '../../ui/page/announce.ts';
import { Empty } from '../../ui/page/Empty.tsx';
import { LiveMark } from '../../ui/page/LiveMark.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { ProblemNote } from '../../ui/page/ProblemNote.tsx';
import { Section } from '../../ui/page/Section.tsx';
import textStyles from '../../ui/text/text.module.css';
import { callsByEndpoint } from '../../widgets/endpoints/by-area.ts';
import { EndpointFilter } from './EndpointFilter.tsx';
import { countsOf, type EndpointFilterValue, endpointGroups } from './endpoint-groups.ts';
import { GrantDialog } from './GrantDialog.tsx';
import { GrantRow } from './GrantRow.tsx';
import styles from './Grants.module.css';
import { SelectionBar } from './SelectionBar.tsx';
import { type SwitchingOff, SwitchOffDialog, switchOff } from './SwitchOffDialog.tsx';

const USAGE_POLL_MS = 3_000;

interface Props {
  apiKey: Key;
  partner: Partner | undefined;
}

/** What the dialog changes. */
interface Editing {
  grants: readonly Grant[];
  toDefault?: boolean;
}

export function Grants({ apiKey, partner }: Props) {
  const { call, environment, queries, mayChange } = useEnvironment();
  const id = apiKey.key_id;
  const grants = useLiveQuery(queries.grants(id));
  const usage = useLiveQuery(queries.usage(id), USAGE_POLL_MS);
  const history = useLiveQuery(queries.keyHistory(id, 'hour'));
  const [filter, setFilter] = useState<EndpointFilterValue>({ text: '', shown: undefined });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [editing, setEditing] = useState<Editing>();
  const editable = mayChange && !apiKey.revoked_at;

  const put = useMutation({
    mutationFn: (grant: Grant) => call('putGrant', { key_id: id, body: grant }),
    onSuccess: ({ endpoint }) => announce(`Saved ${shortPath(endpoint)}.`),
  });
  const off = useMutation({ mutationFn: (what: SwitchingOff) => switchOff(call, id, what) });
  const [switching, setSwitching] = useState<SwitchingOff>();
  const offOrAsk = (what: SwitchingOff) =>
    environment === 'production' ? setSwitching(what) : off.mutate(what);
  const problem = put.error ?? off.error;
  const usedNow = new Map(usage.data?.items.map((one) => [one.endpoint, one]));
  const calls = callsByEndpoint(history.data?.items ?? []);
  const [first, ...rest] = editing?.grants ?? [];
  const groups = endpointGroups(grants.data?.items ?? [], calls, filter);
  const folds = useFolds(groups, filter.text !== '' || filter.shown !== undefined);

  function select(endpoint: string, isSelected: boolean) {
    const next = new Set(selected);
    if (isSelected) next.add(endpoint);
    else next.delete(endpoint);
    setSelected(next);
  }

  return (
    <Section title="Endpoints and limits" aside={<LiveMark query={usage} />}>
      {problem && <ProblemNote problem={problem} />}
      <Loaded query={grants}>
        {({ items }) => {
          const shown = groups.flatMap(({ rows }) => rows).flatMap(({ grant }) => grant ?? []);
          return (
            <>
              <EndpointFilter value={filter} onChange={setFilter} counts={countsOf(items, calls)} />
              {editable && (
                <SelectionBar
                  shown={shown}
                  selected={selected}
                  onSelect={setSelected}
                  onEdit={(chosen, toDefault) => setEditing({ grants: chosen, toDefault })}
                />
              )}
              {groups.length === 0 && <Empty title="No endpoint matches the filter." />}
              {groups.length > 0 && (
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
                        <th scope="col">Last 7 days</th>
                        {editable && (
                          <th scope="col">
                            <span className={textStyles.visuallyHidden}>Change</span>
                          </th>
                        )}
                      </tr>
                    </thead>
                    {groups.map((group) => (
                      <tbody
                        key={group.name}
                        data-folds={folds.isOpen(group.name) ? 'open' : 'closed'}
                      >
                        <GroupHead group={group} columns={editable ? 7 : 6} folds={folds} />
                        {group.rows.map((row) => (
                          <GrantRow
                            key={row.path}
                            row={row}
                            keyId={id}
                            usage={usedNow.get(row.endpoint)}
                            editable={editable}
                            busy={put.isPending || off.isPending}
                            isSelected={selected.has(row.endpoint)}
                            onSelect={(isSelected) => select(row.endpoint, isSelected)}
                            onPut={(grant) => put.mutate(grant)}
                            onOff={(grant, isWithdrawn) => offOrAsk({ grant, isWithdrawn })}
                            onEdit={(grant) => setEditing({ grants: [grant] })}
                          />
                        ))}
                      </tbody>
                    ))}
                  </table>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
      {switching && (
        <SwitchOffDialog
          keyId={id}
          switching={switching}
          onConfirm={() => switchOff(call, id, switching)}
          onClose={() => setSwitching(undefined)}
        />
      )}
      {editing && first && (
        <GrantDialog
          apiKey={apiKey}
          partner={partner}
          grants={[first, ...rest]}
          toDefault={editing.toDefault ?? false}
          onSaved={() => setSelected(new Set())}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Section>
  );
}
