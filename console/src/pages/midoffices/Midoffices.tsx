import { ordersOf } from '@bellhop/rules/lists';
import { Link, useNavigate } from '@tanstack/react-router';
import { csvOf } from '../../api/client.ts';
import type { Midoffice } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { midofficeFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { NewButton } from '../../ui/dialogs/NewButton.tsx';
import { NameFilter } from '../../ui/forms/Filters.tsx';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import { SortChoice, sortable, useSorting } from '../../ui/lists/sorting.tsx';
import { type Column, Table } from '../../ui/lists/Table.tsx';
import { announce } from '../../ui/page/announce.ts';
import { Ago } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { MidofficeBadges } from '../../widgets/badges.tsx';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { NoRecord } from '../../widgets/NoRecord.tsx';
import { OnlyFilter } from '../../widgets/OnlyFilter.tsx';
import { Total } from '../../widgets/Total.tsx';
import { Waiting } from '../../widgets/Waiting.tsx';
import { MidofficeDialog } from './MidofficeDialog.tsx';

const POLL_MS = 10_000;

export default function Midoffices() {
  const { environment, queries, links, mayChange } = useEnvironment();
  const filter = useFilters(midofficeFilters);
  const sorting = useSorting(ordersOf('midoffices', filter.filters.only));
  const query = { ...filter.filters, sort: sorting.sort };
  const midoffices = usePages(queries.midoffices(query), POLL_MS);
  const columns: Column<Midoffice>[] = [
    sortable(sorting, 'name', {
      head: 'Midoffice',
      cell: ({ id, name }) => (
        <Link className={`${textStyles.strong} ${textStyles.clip}`} {...links.midoffice(id)}>
          {name}
        </Link>
      ),
    }),
    {
      head: 'Health',
      cell: (midoffice) => <MidofficeBadges midoffice={midoffice} />,
      phone: 'lead',
    },
    {
      head: 'Pending',
      cell: ({ id, pending }) => <Waiting midofficeId={id} pending={pending} />,
    },
    { head: 'Receiver', cell: ({ url }) => <code className={textStyles.clip}>{url}</code> },
    {
      head: 'Failing since',
      cell: ({ failing_since }) => (failing_since ? <Ago at={failing_since} /> : '–'),
      phone: 'hidden',
    },
    sortable(sorting, 'created_at', {
      head: 'Created',
      cell: ({ created_at }) => <Ago at={created_at} />,
      phone: 'hidden',
    }),
  ];
  return (
    <ListPage
      title="Midoffices"
      about={<Total source={queries.midofficesCount(filter.filters)} what="midoffice" />}
      actions={
        <>
          <DownloadCsv href={csvOf('listMidoffices', { environment }, query)} />
          {mayChange && <NewMidoffice />}
        </>
      }
      list={midoffices}
      filter={filter}
      sorting={sorting}
      fields={
        <>
          <NameFilter {...filter} />
          <OnlyFilter list="midoffices" {...filter} />
          <SortChoice sorting={sorting} />
        </>
      }
    >
      {(shown) => (
        <Table
          label="Midoffices"
          columns={columns}
          rows={shown}
          keyOf={({ id }) => id}
          empty={
            <NoRecord what="midoffice" isFiltered={filter.isFiltered}>
              A midoffice is where webhooks about orders go.{' '}
              {mayChange &&
                "Register one with the receiver's URL, then choose it on the partner's page."}
            </NoRecord>
          }
        />
      )}
    </ListPage>
  );
}

function NewMidoffice() {
  const { call, links, environment } = useEnvironment();
  const navigate = useNavigate();
  return (
    <NewButton
      label="New midoffice"
      dialog={(close) => (
        <MidofficeDialog
          title={`New midoffice in ${environment}`}
          submit="Create midoffice"
          onClose={close}
          onSave={async (fields) => {
            const { id, name } = await call('createMidoffice', { body: fields });
            announce(`Created ${name}.`);
            await navigate(links.midoffice(id));
          }}
        />
      )}
    />
  );
}
