import { Link } from '@tanstack/react-router';
import { useLiveQuery } from '../../../../console/src/api/use-live-query.ts';
import { type Column, Table } from '../../../../console/src/ui/lists/Table.tsx';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { Loaded } from '../../../../console/src/ui/page/Loaded.tsx';
import { Page } from '../../../../console/src/ui/page/Page.tsx';
import { Ago } from '../../../../console/src/ui/text/Time.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import { KeyBadge } from '../../../../console/src/widgets/badges.tsx';
import type { OwnKey } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { LastUsed } from './LastUsed.tsx';

const POLL_MS = 10_000;

export default function Keys() {
  const { queries, links } = useView();
  const keys = useLiveQuery(queries.keys(), POLL_MS);
  const columns: Column<OwnKey>[] = [
    {
      head: words.keys.key,
      cell: ({ key_id }) => (
        <Link className={textStyles.strong} {...links.key(key_id)}>
          <code>{key_id}</code>
        </Link>
      ),
    },
    { head: words.keys.label, cell: ({ label }) => label ?? '–' },
    { head: words.keys.status, cell: (key) => <KeyBadge apiKey={key} />, phone: 'lead' },
    {
      head: words.keys.lastUsed,
      cell: ({ last_used_at }) => <LastUsed at={last_used_at} />,
    },
    {
      head: words.keys.expires,
      cell: ({ expires_at }) => (expires_at ? <Ago at={expires_at} /> : words.keys.never),
    },
    {
      head: words.keys.allowList,
      cell: ({ allowed_ips }) => (allowed_ips ? allowed_ips.join(', ') : words.keys.any),
      phone: 'hidden',
    },
  ];
  return (
    <Page title={words.keys.title}>
      <Loaded query={keys}>
        {({ items }) => (
          <Table
            label={words.keys.title}
            columns={columns}
            rows={items}
            keyOf={({ key_id }) => key_id}
            empty={<Empty title={words.keys.none}>{words.keys.noneAdvice}</Empty>}
          />
        )}
      </Loaded>
    </Page>
  );
}
