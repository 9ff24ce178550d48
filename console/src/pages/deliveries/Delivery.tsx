/** One delivery: what happened, what will happen, and why. */
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { DeliveryWithAttempts } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { deliveryRoute } from '../../app/routes.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { announce } from '../../ui/page/announce.ts';
import { Facts } from '../../ui/page/Facts.tsx';
import { LiveMark } from '../../ui/page/LiveMark.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Note } from '../../ui/page/Note.tsx';
import pageStyles from '../../ui/page/Page.module.css';
import { Page } from '../../ui/page/Page.tsx';
import { ProblemNote } from '../../ui/page/ProblemNote.tsx';
import sectionStyles from '../../ui/page/Section.module.css';
import { Section } from '../../ui/page/Section.tsx';
import { Id } from '../../ui/text/CopyButton.tsx';
import { classes } from '../../ui/text/classes.ts';
import { Due, Time } from '../../ui/text/Time.tsx';
import { DeliveryBadge } from '../../widgets/badges.tsx';
import { MidofficeLink, PartnerLink } from '../../widgets/NameLink.tsx';
import { Notes } from '../../widgets/Notes.tsx';
import { SendPendingOffer } from '../../widgets/SendPending.tsx';
import { FailingReceiver } from '../../widgets/sending/FailingReceivers.tsx';
import { useResultAnnounced } from '../../widgets/sending/use-result-announced.ts';
import { Timeline } from '../../widgets/Timeline.tsx';
import { useName } from '../../widgets/use-name.ts';
import styles from './Delivery.module.css';

const POLL_MS = 2_000;
const MIDOFFICE_POLL_MS = 10_000;

export default function Delivery() {
  const { id } = deliveryRoute.useParams();
  const { call, queries, links, mayChange } = useEnvironment();
  const query = useLiveQuery(queries.delivery(id), POLL_MS);
  const delivery = query.data;
  const [asking, setAsking] = useState<'cancel' | 'acknowledge' | 'send'>();
  const retry = useMutation({
    mutationFn: () => call('retryDelivery', { id }),
    onSuccess: () => announce('An attempt is being made now.'),
  });
  useResultAnnounced(delivery);
  const isPending = delivery?.state === 'pending';
  const isOpen = isPending || delivery?.state === 'unrouted';
  return (
    <Page
      title={delivery ? `Order ${delivery.partner_order_id}` : `Delivery ${id}`}
      up={<Link {...links.deliveries()}>Deliveries</Link>}
      badges={
        delivery && (
          <>
            <DeliveryBadge delivery={delivery} />
            <LiveMark query={query} />
          </>
        )
      }
      actions={
        mayChange &&
        delivery && (
          <>
            {isOpen && <Button onClick={() => setAsking('cancel')}>Cancel delivery</Button>}
            {delivery.state === 'exhausted' && !delivery.acknowledged_at && (
              <Button onClick={() => setAsking('acknowledge')}>Acknowledge</Button>
            )}
            <Button
              kind="primary"
              busy={retry.isPending}
              disabled={delivery.in_flight}
              onClick={() => (goesElsewhere(delivery) ? setAsking('send') : retry.mutate())}
            >
              {isPending ? 'Send now' : 'Send again'}
            </Button>
          </>
        )
      }
    >
      {retry.error && <ProblemNote problem={retry.error} />}
      <Loaded query={query}>
        {(data) => <Shown delivery={data} isRetried={retry.isSuccess} />}
      </Loaded>
      {asking === 'acknowledge' && delivery && (
        <ConfirmDialog
          title="Acknowledge this delivery?"
          submit="Acknowledge"
          cancel="Leave it open"
          isHarmless
          asksReason
          onClose={() => setAsking(undefined)}
          onConfirm={async (reason) => {
            await call('acknowledgeDelivery', { id, body: { reason } });
            announce('The delivery is acknowledged.');
          }}
        >
          <p>
            Every attempt to tell the midoffice about order{' '}
            <strong>{delivery.partner_order_id}</strong> failed. It will no longer be shown as a
            task. It stays exhausted and can be sent again later.
          </p>
        </ConfirmDialog>
      )}
      {asking === 'send' && delivery && (
        <ConfirmDialog
          title="Send it to another midoffice?"
          submit="Send again"
          cancel="Send nothing"
          isHarmless
          onClose={() => setAsking(undefined)}
          onConfirm={() => retry.mutateAsync()}
        >
          <p>
            The webhooks of this partner now go to <strong>{delivery.sends_to?.name}</strong>. This
            one goes there, too. The attempts so far stay with their receiver.
          </p>
        </ConfirmDialog>
      )}
      {asking === 'cancel' && delivery && (
        <ConfirmDialog
          title="Cancel this delivery?"
          submit="Cancel delivery"
          cancel="Keep it"
          asksReason
          onClose={() => setAsking(undefined)}
          onConfirm={async (reason) => {
            await call('cancelDelivery', { id, body: { reason } });
            announce('The delivery is cancelled.');
          }}
        >
          <p>
            No {isPending && 'further '}attempt will be made to tell the midoffice that order{' '}
            <strong>{delivery.partner_order_id}</strong> was {delivery.type}. It can be sent again
            later.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** Its partner was given another midoffice since. */
function goesElsewhere({ state, midoffice_id, sends_to }: DeliveryWithAttempts): boolean {
  return state !== 'pending' && midoffice_id !== null && sends_to?.id !== midoffice_id;
}

/** How the midoffice affects the state of the delivery. */
function Circumstances({
  delivery,
  midofficeId,
  isRetried,
}: {
  delivery: DeliveryWithAttempts;
  midofficeId: string;
  isRetried: boolean;
}) {
  const { queries, links } = useEnvironment();
  const midoffice = useLiveQuery(queries.midoffice(midofficeId), MIDOFFICE_POLL_MS);
  const name = useName('midoffices', midofficeId);
  return (
    <>
      {delivery.state === 'pending' && midoffice.data?.paused && (
        <Note kind="warn">
          The midoffice is paused. No attempt is made until{' '}
          <Link {...links.midoffice(midofficeId)}>it is resumed</Link>.
        </Note>
      )}
      {delivery.state !== 'delivered' && midoffice.data && (
        <FailingReceiver midoffice={midoffice.data} />
      )}
      {isRetried && delivery.state === 'delivered' && midoffice.data && (
        <SendPendingOffer midoffice={midoffice.data} />
      )}
      {delivery.why && delivery.state !== 'delivered' && (
        <div className={classes(styles.why, delivery.state === 'exhausted' && styles.bad)}>
          <h2>{delivery.state === 'exhausted' ? 'Why did this fail?' : 'What is happening?'}</h2>
          <p>{delivery.why}</p>
          <p className={styles.next}>
            <Link {...links.midoffice(midofficeId)}>Open {name}</Link>
          </p>
        </div>
      )}
    </>
  );
}

function Shown({ delivery, isRetried }: { delivery: DeliveryWithAttempts; isRetried: boolean }) {
  const { links } = useEnvironment();
  const { midoffice_id } = delivery;
  return (
    <>
      {midoffice_id === null ? (
        <Note kind="warn">
          The partner had no midoffice when this event arrived, so no webhook was sent. Give{' '}
          <PartnerLink id={delivery.partner_id} /> a midoffice. Then send this event again here, or
          send all of them again on the midoffice's page.
        </Note>
      ) : (
        <Circumstances delivery={delivery} midofficeId={midoffice_id} isRetried={isRetried} />
      )}
      <div className={pageStyles.detail}>
        <div>
          <Section title="Attempts">
            <Timeline delivery={delivery} />
          </Section>
          <Notes kind="deliveries" id={delivery.id} />
        </div>
        <Section title="Event">
          <Facts
            facts={[
              ['Order', <Id key="o" id={delivery.partner_order_id} what="order id" />],
              ['Event', delivery.type],
              ['Agreement', delivery.agreement_number ?? '–'],
              ['Status', delivery.status ?? '–'],
              [
                'Midoffice',
                midoffice_id === null ? 'none' : <MidofficeLink key="m" id={midoffice_id} />,
              ],
              ['Partner', <PartnerLink key="p" id={delivery.partner_id} />],
              ['Accepted', <Time key="a" at={delivery.accepted_at} />],
              [
                'Settled',
                delivery.settled_at ? <Time key="s" at={delivery.settled_at} /> : 'not yet',
              ],
              [
                'Acknowledged',
                delivery.acknowledged_at ? <Time key="k" at={delivery.acknowledged_at} /> : '–',
              ],
              [
                'Next attempt',
                delivery.next_attempt_at ? <Due key="n" at={delivery.next_attempt_at} /> : '–',
              ],
              ['Delivery id', <Id key="d" id={delivery.id} what="delivery id" />],
              ['Event id', <Id key="e" id={delivery.event_id} what="event id" />],
            ]}
          />
          <p className={sectionStyles.foot}>
            <Link {...links.deliveries({ partner_order_id: delivery.partner_order_id })}>
              All deliveries of this order
            </Link>
            <Link {...links.case(delivery.id)}>Everything about this order</Link>
            <Link {...links.audit({ subject: delivery.id })}>Changes made by people</Link>
          </p>
        </Section>
      </div>
    </>
  );
}
