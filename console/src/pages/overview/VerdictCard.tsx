/** The first thing on the first page: how things are, and what to do, with links. */
import { Link } from '@tanstack/react-router';
import type { Stats } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import type { Links } from '../../app/links.ts';
import { Verdict as Shown, type VerdictTone } from '../../ui/page/Verdict.tsx';
import { useNow } from '../../ui/text/Time.tsx';
import { type OpenRequests, useOpenRequests } from '../../widgets/use-open-requests.ts';
import { counted } from '../../words/en/counted.ts';
import { type Advice, verdictOf } from './verdict.ts';

const spoken: Record<VerdictTone, string> = {
  good: 'All is well.',
  warn: 'Something needs a look.',
  bad: 'Midoffices are down.',
  calm: 'Nothing was sent lately.',
};

export function VerdictCard({ stats }: { stats: Stats }) {
  const { tone, sentence, advice } = verdictOf(stats, useNow());
  const open = useOpenRequests();
  const { links } = useEnvironment();
  return (
    <Shown
      tone={tone}
      sentence={sentence}
      spoken={spoken[tone]}
      advice={[
        ...advice.map((one) => ({
          key: one.link,
          line: (
            <>
              {one.before} <AdviceLink advice={one} />
              {one.after.startsWith(':') ? one.after : ` ${one.after}`}
            </>
          ),
        })),
        ...(open.count > 0
          ? [{ key: 'requests', line: <Answer open={open} links={links} /> }]
          : []),
      ]}
    />
  );
}

function Answer({ open: { count, hasMore }, links }: { open: OpenRequests; links: Links }) {
  return (
    <>
      Answer{' '}
      <Link {...links.limitRequests({ state: 'open' })}>
        {hasMore && 'more than '}
        {counted(count, 'request')}
      </Link>{' '}
      for another limit.
    </>
  );
}

function AdviceLink({ advice: { link, to } }: { advice: Advice }) {
  const { links } = useEnvironment();
  switch (to.page) {
    case 'midoffice':
      return <Link {...links.midoffice(to.id)}>{link}</Link>;
    case 'key':
      return <Link {...links.key(to.id)}>{link}</Link>;
    default:
      return <Link {...links.deliveries(to.search)}>{link}</Link>;
  }
}
