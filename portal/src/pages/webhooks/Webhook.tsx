/** One webhook: what happened, what will happen, and why. */
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLiveQuery } from '../../../../console/src/api/use-live-query.ts';
import whyStyles from '../../../../console/src/pages/deliveries/Delivery.module.css';
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import { Facts } from '../../../../console/src/ui/page/Facts.tsx';
import { LiveMark } from '../../../../console/src/ui/page/LiveMark.tsx';
import { Loaded } from '../../../../console/src/ui/page/Loaded.tsx';
import { Note } from '../../../../console/src/ui/page/Note.tsx';
import pageStyles from '../../../../console/src/ui/page/Page.module.css';
import { Page } from '../../../../console/src/ui/page/Page.tsx';
import { ProblemNote } from '../../../../console/src/ui/page/ProblemNote.tsx';
import sectionStyles from '../../../../console/src/ui/page/Section.module.css';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import { Id } from '../../../../console/src/ui/text/CopyButton.tsx';
import { classes } from '../../../../console/src/ui/text/classes.ts';
import { Due, Time } from '../../../../console/src/ui/text/Time.tsx';
import { DeliveryBadge } from '../../../../console/src/widgets/badges.tsx';
import { useResultAnnounced } from '../../../../console/src/widgets/sending/use-result-announced.ts';
import { Timeline } from '../../../../console/src/widgets/Timeline.tsx';
import type { DeliveryWithAttempts } from '../../api/types.ts';
import { useMidoffice } from '../../api/use-midoffice.ts';
import { webhookRoute } from '../../app/routes.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { NotOwn } from '../receiver/NotOwn.tsx';
import { ReceiverFails } from './ReceiverFails.tsx';

const POLL_MS = 2_000;

export default function Webhook() {
  const { id } = webhookRoute.useParams();
  const { call, queries, links, may } = useView();
  const query = useLiveQuery(queries.delivery(id), POLL_MS);
  const delivery = query.data;
  const midoffice = useMidoffice();
  const maySend = may('redeliver') && midoffice.data?.is_own !== false;
  useResultAnnounced(delivery);
  const retry = useMutation({
    mutationFn: () => call('retryDelivery', { id }),
    onSuccess: () => announce(words.webhook.retried),
  });
  return (
    <Page
      title={delivery ? words.webhook.order(delivery.partner_order_id) : id}
      up={<Link {...links.webhooks()}>{words.pages.webhooks}</Link>}
      badges={
        delivery && (
          <>
            <DeliveryBadge delivery={delivery} />
            <LiveMark query={query} />
          </>
        )
      }
      actions={
        maySend &&
        delivery && (
          <Button
            kind="primary"
            busy={retry.isPending}
            disabled={delivery.in_flight}
            onClick={() => retry.mutate()}
          >
            {delivery.state === 'pending' ? words.webhook.retryNow : words.webhook.sendAgain}
          </Button>
        )
      }
    >
      {retry.error && <ProblemNote problem={retry.error} />}
      {may('redeliver') && <NotOwn midoffice={midoffice.data} />}
      {maySend && delivery && delivery.state !== 'delivered' && midoffice.data && (
        <ReceiverFails midoffice={midoffice.data} />
      )}
      <Loaded query={query}>{(data) => <Shown delivery={data} />}</Loaded>
    </Page>
  );
}

/** The partner was given another receiver since. */
function hasMovedOn({ state, midoffice_id, sends_to }: DeliveryWithAttempts): boolean {
  return state !== 'pending' && midoffice_id !== null && sends_to?.id !== midoffice_id;
}

function Shown({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { links } = useView();
  const { state, paused, why, settled_at, next_attempt_at } = delivery;
  return (
    <>
      {hasMovedOn(delivery) && <Note>{words.webhook.movedOn}</Note>}
      {paused && <Note kind="warn">{words.receiver.paused}</Note>}
      {state === 'unrouted' && <Note kind="warn">{words.webhook.unrouted}</Note>}
      {why && state !== 'delivered' && (
        <div className={classes(whyStyles.why, state === 'exhausted' && whyStyles.bad)}>
          <h2>{state === 'exhausted' ? words.webhook.whyFailed : words.webhook.happening}</h2>
          <p>{why}</p>
          <p className={whyStyles.next}>
            <Link {...links.receiver}>{words.webhook.receiver}</Link>
          </p>
        </div>
      )}
      <div className={pageStyles.detail}>
        <Section title={words.webhook.attempts}>
          <Timeline delivery={delivery} />
        </Section>
        <Section title={words.webhook.event}>
          <Facts
            facts={[
              [
                words.webhook.orderId,
                <Id key="o" id={delivery.partner_order_id} what={words.webhook.copied.order} />,
              ],
              [words.webhook.type, words.webhooks.types[delivery.type]],
              [words.webhook.agreement, delivery.agreement_number ?? '–'],
              [words.webhook.status, delivery.status ?? '–'],
              [words.webhook.accepted, <Time key="a" at={delivery.accepted_at} />],
              [
                words.webhook.settled,
                settled_at ? <Time key="s" at={settled_at} /> : words.webhook.notYet,
              ],
              [
                words.webhook.nextAttempt,
                next_attempt_at ? <Due key="n" at={next_attempt_at} /> : '–',
              ],
              [
                words.webhook.id,
                <Id key="d" id={delivery.id} what={words.webhook.copied.webhook} />,
              ],
              [
                words.webhook.eventId,
                <Id key="e" id={delivery.event_id} what={words.webhook.copied.event} />,
              ],
            ]}
          />
          <p className={sectionStyles.foot}>
            <Link {...links.case(delivery.id)}>{words.webhook.everything}</Link>
            <Link {...links.webhooks({ partner_order_id: delivery.partner_order_id })}>
              {words.webhook.others}
            </Link>
          </p>
        </Section>
      </div>
    </>
  );
}
