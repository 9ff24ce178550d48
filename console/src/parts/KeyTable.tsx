import { useDesk } from '../desk.tsx';
import type { Key } from '../model.ts';
import { Link } from '../router.tsx';
import { KeyBadge } from './Badge.tsx';
import { Empty } from './Empty.tsx';
import { type Column, Table } from './Table.tsx';
import { Ago } from './Time.tsx';

interface Props {
  keys: Key[];
  /** Only where keys of many partners are listed. */
  partnerName?: (id: string) => string;
}

export function KeyTable({ keys, partnerName }: Props) {
  const { places } = useDesk();
  if (keys.length === 0) {
    return (
      <Empty title="No keys yet.">
        A key opens the API to a partner and signs its midoffice's webhooks.
      </Empty>
    );
  }
  const columns: Column<Key>[] = [
    {
      head: 'Key',
      cell: (key) => (
        <Link className="strong" to={places.key(key.key_id)}>
          <code>{key.key_id}</code>
        </Link>
      ),
    },
    { head: 'Label', cell: (key) => <span className="clip">{key.label ?? '–'}</span> },
    ...(partnerName
      ? [
          {
            head: 'Partner',
            cell: (key: Key) => (
              <Link className="clip quiet" to={places.partner(key.partner_id)}>
                {partnerName(key.partner_id)}
              </Link>
            ),
          },
        ]
      : []),
    { head: 'Standing', cell: (key) => <KeyBadge apiKey={key} /> },
    { head: 'Expires', cell: (key) => (key.expires_at ? <Ago at={key.expires_at} /> : 'never') },
    { head: 'Created', cell: (key) => <Ago at={key.created_at} /> },
  ];
  return <Table label="Keys" columns={columns} rows={keys} keyOf={(key) => key.key_id} />;
}
