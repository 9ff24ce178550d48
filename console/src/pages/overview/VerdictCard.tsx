/** The first thing on the first page: how things are, and what to do, with links. */
import { Link } from '@tanstack/react-router';
import type { Stats } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Verdict as Shown, type VerdictTone } from '../../ui/page/Verdict.tsx';
import { useNow } from '../../ui/text/Time.tsx';
import { type Advice, verdictOf } from './verdict.ts';

const spoken: Record<VerdictTone, string> = {
  good: 'All is well.',
  warn: 'Something needs a look.',
  bad: 'Midoffices are down.',
  calm: 'Nothing was sent lately.',
};

export function VerdictCard({ stats }: { stats: Stats }) {
  const { tone, sentence, advice } = verdictOf(stats, useNow());
  return (
    <Shown
      tone={tone}
      sentence={sentence}
      spoken={spoken[tone]}
      advice={advice.map((one) => ({
        key: one.link,
        line: (
          <>
            {one.before} <AdviceLink advice={one} />
            {one.after.startsWith(':') ? one.after : ` ${one.after}`}
          </>
        ),
      }))}
    />
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
