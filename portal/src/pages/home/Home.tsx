/** How things are, what needs somebody, and the ways to the usual questions. */
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useLiveQuery } from '../../../../console/src/api/use-live-query.ts';
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import { TextField } from '../../../../console/src/ui/forms/TextField.tsx';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { LiveMark } from '../../../../console/src/ui/page/LiveMark.tsx';
import { Loaded } from '../../../../console/src/ui/page/Loaded.tsx';
import { Page } from '../../../../console/src/ui/page/Page.tsx';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import { Verdict } from '../../../../console/src/ui/page/Verdict.tsx';
import { useNow } from '../../../../console/src/ui/text/Time.tsx';
import { POLL_MS } from '../../api/poll.ts';
import type { Delivery, Home } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { WebhookTable } from '../webhooks/WebhookTable.tsx';
import { HighestUse } from './HighestUse.tsx';
import styles from './Home.module.css';
import { type Advice, verdictOf } from './verdict.ts';

export default function HomePage() {
  const { me, queries } = useView();
  const home = useLiveQuery(queries.home(), POLL_MS);
  return (
    <Page title={me.partner.name} badges={<LiveMark query={home} />}>
      <Loaded query={home}>
        {(data) => (
          <>
            <Judged home={data} />
            <div className={styles.parts}>
              <FindOrder />
              <HighestUse keys={data.keys} />
            </div>
            <NewestWebhooks items={data.deliveries} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Judged({ home }: { home: Home }) {
  const { tone, sentence, advice } = verdictOf(home, useNow());
  return (
    <Verdict
      tone={tone}
      sentence={sentence}
      spoken={words.home.spoken[tone]}
      advice={advice.map((one) => ({
        key: one.link,
        line: (
          <>
            <AdviceLink advice={one} /> {one.after}
          </>
        ),
      }))}
    />
  );
}

function AdviceLink({ advice: { link, to } }: { advice: Advice }) {
  const { links } = useView();
  if (to === 'receiver') return <Link {...links.receiver}>{link}</Link>;
  if (to === 'exhausted') return <Link {...links.webhooks({ state: to })}>{link}</Link>;
  if (to === 'refusals') return <Link {...links.refusals()}>{link}</Link>;
  if ('key' in to) return <Link {...links.key(to.key)}>{link}</Link>;
  return <Link {...links.limits(to.limits)}>{link}</Link>;
}

function FindOrder() {
  const { links } = useView();
  const navigate = useNavigate();
  const [order, setOrder] = useState('');
  function find(event: FormEvent) {
    event.preventDefault();
    if (order.trim() !== '') void navigate(links.case(order.trim()));
  }
  return (
    <Section title={words.home.find.title}>
      <form className={styles.find} onSubmit={find} noValidate>
        <TextField
          label={words.home.find.label}
          hint={words.home.find.hint}
          spellCheck={false}
          value={order}
          onChange={setOrder}
        />
        <Button type="submit" disabled={order.trim() === ''}>
          {words.home.find.submit}
        </Button>
      </form>
    </Section>
  );
}

function NewestWebhooks({ items }: { items: Delivery[] }) {
  const { links } = useView();
  return (
    <Section
      title={words.home.webhooks}
      aside={<Link {...links.webhooks()}>{words.home.allWebhooks}</Link>}
    >
      <WebhookTable items={items} empty={<Empty title={words.home.noWebhooks} />} />
    </Section>
  );
}
