import { Link } from '@tanstack/react-router';
import type { Key } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import { type Sorting, sortable } from '../ui/lists/sorting.tsx';
import { type Column, Table } from '../ui/lists/Table.tsx';
import { Empty } from '../ui/page/Empty.tsx';
import { classes } from '../ui/text/classes.ts';
import { Ago } from '../ui/text/Time.tsx';
import textStyles from '../ui/text/text.module.css';
import { calendarDate } from '../ui/text/times.ts';
import { KeyBadge } from './badges.tsx';
import { PartnerLink } from './NameLink.tsx';

const partnerColumn: Column<Key> = {
  head: 'Partner',
  cell: (key) => (
    <PartnerLink id={key.partner_id} className={classes(textStyles.clip, textStyles.quiet)} />
  ),
  phone: 'second',
};

interface Props {
  keys: Key[];
  /** Where keys of many partners are listed. */
  withPartner?: boolean;
  /** Where the list can be sorted. */
  sorting?: Sorting;
  isFiltered?: boolean;
}

export function KeyTable({ keys, withPartner = false, sorting, isFiltered = false }: Props) {
  const { links } = useEnvironment();
  const sorted = (field: string, column: Column<Key>) =>
    sorting ? sortable(sorting, field, column) : column;
  const columns: Column<Key>[] = [
    {
      head: 'Key',
      cell: (key) => (
        <Link className={textStyles.strong} {...links.key(key.key_id)}>
          <code>{key.key_id}</code>
        </Link>
      ),
    },
    { head: 'Label', cell: (key) => <span className={textStyles.clip}>{key.label ?? '–'}</span> },
    ...(withPartner ? [partnerColumn] : []),
    { head: 'Status', cell: (key) => <KeyBadge apiKey={key} />, phone: 'lead' },
    sorted('expires_at', {
      head: 'Expires',
      cell: (key) => (key.expires_at ? <Ago at={key.expires_at} /> : 'never'),
    }),
    sorted('last_used_on', {
      head: 'Last used',
      cell: ({ last_used_on }) => (last_used_on ? calendarDate(last_used_on) : 'never'),
      phone: 'hidden',
    }),
    sorted('created_at', {
      head: 'Created',
      cell: (key) => <Ago at={key.created_at} />,
      phone: 'hidden',
    }),
  ];
  return (
    <Table
      label="Keys"
      columns={columns}
      rows={keys}
      keyOf={(key) => key.key_id}
      empty={
        isFiltered ? (
          <Empty title="No key matches these filters." />
        ) : (
          <Empty title="No keys yet.">
            A key gives a partner access to the API and signs the webhooks of its midoffice.
          </Empty>
        )
      }
    />
  );
}
