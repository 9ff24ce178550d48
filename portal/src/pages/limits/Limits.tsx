/** What may I call, and how much is left? */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useLiveQuery } from '../../../../console/src/api/use-live-query.ts';
import { useFilters } from '../../../../console/src/app/search-params.ts';
import fieldStyles from '../../../../console/src/ui/forms/Field.module.css';
import { Field } from '../../../../console/src/ui/forms/Field.tsx';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { LiveMark } from '../../../../console/src/ui/page/LiveMark.tsx';
import { Loaded, Waiting } from '../../../../console/src/ui/page/Loaded.tsx';
import { Page } from '../../../../console/src/ui/page/Page.tsx';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import { UsageSection } from '../../../../console/src/widgets/usage/UsageSection.tsx';
import type { Limit, OwnKey } from '../../api/types.ts';
import { limitParams } from '../../app/routes.ts';
import { useView } from '../../app/view.tsx';
import { Stack } from '../../shell/Stack.tsx';
import { words } from '../../words/words.ts';
import { keyName } from '../keys/key-name.ts';
import { AskDialog } from './AskDialog.tsx';
import { LimitTable } from './LimitTable.tsx';
import { Requests } from './Requests.tsx';

const POLL_MS = 3_000;

export default function Limits() {
  const { queries } = useView();
  const keys = useLiveQuery(queries.keys());
  return (
    <Page title={words.limits.title} about={words.limits.about}>
      <Loaded query={keys}>
        {({ items }) => {
          const usable = items.filter(({ revoked_at }) => revoked_at === null);
          return usable[0] ? (
            <OfKeys keys={usable} />
          ) : (
            <Empty title={words.limits.noKeys}>{words.limits.askForKey}</Empty>
          );
        }}
      </Loaded>
    </Page>
  );
}

function OfKeys({ keys }: { keys: OwnKey[] }) {
  const { me, queries } = useView();
  const { filters, change } = useFilters(limitParams);
  const isAsked = filters.key === undefined && keys.length > 1;
  const troubled = useQuery({ ...queries.keyInTrouble(), enabled: isAsked });
  if (troubled.isLoading && !troubled.failureReason) return <Waiting />;
  const wanted = [filters.key, troubled.data?.key_id, me.key_id];
  const [shown = keys[0] as OwnKey] = wanted.flatMap(
    (id) => keys.find(({ key_id }) => key_id === id) ?? [],
  );
  return (
    <Stack>
      {keys.length > 1 && (
        <Field label={words.limits.key} className={fieldStyles.short}>
          {(props) => (
            <select
              {...props}
              value={shown.key_id}
              onChange={(event) => change({ key: event.target.value })}
            >
              {keys.map((key) => (
                <option key={key.key_id} value={key.key_id}>
                  {keyName(key)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <OfKey key={shown.key_id} apiKey={shown} />
    </Stack>
  );
}

function OfKey({ apiKey }: { apiKey: OwnKey }) {
  const { queries, links, may } = useView();
  const id = apiKey.key_id;
  const [asking, setAsking] = useState<Limit>();
  const limits = useLiveQuery(queries.limits(id), POLL_MS);
  const history = useLiveQuery(queries.history(id, 'hour'));
  return (
    <div>
      <Requests keyId={id} />
      <Section title={keyName(apiKey)} aside={<LiveMark query={limits} />}>
        <Loaded query={limits}>
          {({ items }) => (
            <LimitTable
              limits={items}
              history={history.data?.items ?? []}
              onAsk={may('keys') ? setAsking : undefined}
            />
          )}
        </Loaded>
      </Section>
      <UsageSection source={(step) => queries.history(id, step)} />
      <p className={textStyles.dim}>
        {words.limits.inactive} {!may('keys') && words.limits.raise}{' '}
        <Link {...links.refusals({ key_id: id })}>{words.keys.refusals}</Link>
      </p>
      {asking && <AskDialog keyId={id} limit={asking} onClose={() => setAsking(undefined)} />}
    </div>
  );
}
