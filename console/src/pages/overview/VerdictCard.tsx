/** The first thing on the first page: how things are, and what to do, with links. */
import { Link } from '@tanstack/react-router';
import type { Stats } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { classes } from '../../ui/text/classes.ts';
import { CheckIcon, ClockIcon, WarningIcon } from '../../ui/text/icons.tsx';
import { useNow } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import styles from './VerdictCard.module.css';
import { type Advice, type Verdict, verdictOf } from './verdict.ts';

const classOf = { good: styles.good, warn: styles.warn, bad: styles.bad, calm: undefined };
const icons = { good: CheckIcon, warn: WarningIcon, bad: WarningIcon, calm: ClockIcon };
/** Spoken when it changes. The sentence itself changes too often to be spoken each time. */
const spoken: Record<Verdict['tone'], string> = {
  good: 'All is well.',
  warn: 'Something needs a look.',
  bad: 'Receivers are down.',
  calm: 'Nothing was sent lately.',
};

export function VerdictCard({ stats }: { stats: Stats }) {
  const { tone, sentence, advice } = verdictOf(stats, useNow());
  const Icon = icons[tone];
  return (
    <section className={classes(styles.verdict, classOf[tone])} aria-label="Verdict">
      <span className={styles.mark}>
        <Icon />
      </span>
      <div className={styles.words}>
        <h2 className={styles.sentence}>{sentence}</h2>
        {advice.length > 0 && (
          <ul className={styles.advice}>
            {advice.map((one) => (
              <li key={one.link}>
                {one.before} <AdviceLink advice={one} />
                {one.after.startsWith(':') ? one.after : ` ${one.after}`}
              </li>
            ))}
          </ul>
        )}
      </div>
      <p className={textStyles.visuallyHidden} role="status">
        {spoken[tone]}
      </p>
    </section>
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
