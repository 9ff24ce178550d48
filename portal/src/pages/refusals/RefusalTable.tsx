import { pathOf } from '@bellhop/rules/endpoint-path';
import { Link } from '@tanstack/react-router';
import { type Column, Table } from '../../../../console/src/ui/lists/Table.tsx';
import { Badge } from '../../../../console/src/ui/text/Badge.tsx';
import { Id } from '../../../../console/src/ui/text/CopyButton.tsx';
import { Ago } from '../../../../console/src/ui/text/Time.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import type { OwnKey, OwnRefusal } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { AllowAddress } from './AllowAddress.tsx';

interface Props {
  refusals: OwnRefusal[];
  keys: readonly OwnKey[];
}

export function RefusalTable({ refusals, keys }: Props) {
  const { links } = useView();
  const columns: Column<OwnRefusal>[] = [
    {
      head: words.refusals.reply,
      cell: ({ status, code, sampled_from, verdict }) => (
        <div>
          <Badge tone={status >= 500 ? 'bad' : 'warn'}>{status}</Badge>{' '}
          <code className={textStyles.strong}>{code}</code>
          {sampled_from > 1 && (
            <span className={textStyles.dim}> {words.refusals.standsFor(sampled_from)}</span>
          )}
          <p className={textStyles.dim}>{verdict.sentence}</p>
        </div>
      ),
    },
    { head: words.refusals.when, cell: ({ at }) => <Ago at={at} />, phone: 'lead' },
    {
      head: words.refusals.endpoint,
      cell: ({ endpoint, path, method }) => (
        <code>
          {method} {endpoint ? pathOf(endpoint) : path}
        </code>
      ),
    },
    {
      head: words.refusals.address,
      cell: (refusal) => (
        <span>
          <code>{refusal.address}</code> <AllowAddress refusal={refusal} keys={keys} />
        </span>
      ),
    },
    {
      head: words.refusals.key,
      cell: ({ key_id }) =>
        key_id === null ? (
          words.refusals.unknownKey
        ) : (
          <Link {...links.key(key_id)}>
            <code>{key_id}</code>
          </Link>
        ),
      phone: 'hidden',
    },
    {
      head: words.refusals.request,
      cell: ({ request_id }) => (
        <span>
          <Id id={request_id} what={words.refusals.requestId} />{' '}
          <Link {...links.case(request_id)}>{words.refusals.case}</Link>
        </span>
      ),
    },
  ];
  return (
    <Table
      label={words.refusals.title}
      columns={columns}
      rows={refusals}
      keyOf={({ request_id }) => request_id}
      isTall
    />
  );
}
