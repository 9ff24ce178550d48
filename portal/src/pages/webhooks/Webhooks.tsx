/** Did the webhook of an order arrive? Send what did not arrive again. */
import { useState } from 'react';
import { usePages } from '../../../../console/src/api/use-pages.ts';
import { useFilters } from '../../../../console/src/app/search-params.ts';
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import { FilterSelect, FilterText } from '../../../../console/src/ui/forms/Filters.tsx';
import { SpanFilter } from '../../../../console/src/ui/forms/SpanFilter.tsx';
import { ListPage } from '../../../../console/src/ui/lists/ListPage.tsx';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { useMidoffice } from '../../api/use-midoffice.ts';
import { webhookFilters } from '../../app/routes.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { NotOwn } from '../receiver/NotOwn.tsx';
import { RecoverDialog } from './RecoverDialog.tsx';
import { SendWaitingDialog } from './SendWaitingDialog.tsx';
import { WebhookTable } from './WebhookTable.tsx';

const POLL_MS = 5_000;
const { states, types } = words.webhooks;

export default function Webhooks() {
  const { queries, may } = useView();
  const midoffice = useMidoffice();
  const filter = useFilters(webhookFilters);
  const { filters, of } = filter;
  const list = usePages(queries.deliveries(filters), POLL_MS);
  return (
    <ListPage
      title={words.webhooks.title}
      list={list}
      isLive
      filter={filter}
      actions={<Actions />}
      fields={
        <>
          <FilterText
            label={words.webhooks.orderFilter}
            hint={words.webhooks.orderHint}
            {...of('partner_order_id')}
          />
          <FilterSelect label={words.webhooks.state} options={states} {...of('state')} />
          <FilterSelect label={words.webhooks.type} options={types} {...of('type')} />
          <SpanFilter {...filter} />
        </>
      }
    >
      {(items) => (
        <>
          {may('redeliver') && <NotOwn midoffice={midoffice.data} />}
          <WebhookTable
            items={items}
            empty={
              <Empty title={filter.isFiltered ? words.webhooks.none : words.webhooks.noneYet}>
                {!filter.isFiltered && words.webhooks.noneAdvice}
              </Empty>
            }
          />
        </>
      )}
    </ListPage>
  );
}

function Actions() {
  const { may } = useView();
  const midoffice = useMidoffice();
  const [open, setOpen] = useState<'recover' | 'send'>();
  // Nothing is sent to a receiver that is not one's own.
  if (!may('redeliver') || !midoffice.data?.is_own) return null;
  const waiting = midoffice.data.waiting ?? 0;
  const close = () => setOpen(undefined);
  return (
    <>
      {waiting > 0 && <Button onClick={() => setOpen('send')}>{words.webhooks.sendWaiting}</Button>}
      <Button onClick={() => setOpen('recover')}>{words.webhooks.recover}</Button>
      {open === 'recover' && <RecoverDialog midoffice={midoffice.data} onClose={close} />}
      {open === 'send' && <SendWaitingDialog midoffice={midoffice.data} onClose={close} />}
    </>
  );
}
