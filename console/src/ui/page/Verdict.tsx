/** The first thing on a first page: how things are in one sentence, and below it what to do. */
import type { ReactNode } from 'react';
import { words } from '../../words/words.ts';
import { classes } from '../text/classes.ts';
import { CheckIcon, ClockIcon, WarningIcon } from '../text/icons.tsx';
import textStyles from '../text/text.module.css';
import styles from './Verdict.module.css';

const classOf = { good: styles.good, warn: styles.warn, bad: styles.bad, calm: undefined };
const icons = { good: CheckIcon, warn: WarningIcon, bad: WarningIcon, calm: ClockIcon };
export type VerdictTone = keyof typeof classOf;

interface Props {
  tone: VerdictTone;
  sentence: ReactNode;
  /** Spoken when it changes. The sentence itself changes too often to be spoken each time. */
  spoken: string;
  /** What to do, one thing each. */
  advice: readonly { key: string; line: ReactNode }[];
}

export function Verdict({ tone, sentence, spoken, advice }: Props) {
  const Icon = icons[tone];
  return (
    <section className={classes(styles.verdict, classOf[tone])} aria-label={words.page.verdict}>
      <span className={styles.mark}>
        <Icon />
      </span>
      <div className={styles.words}>
        <h2 className={styles.sentence}>{sentence}</h2>
        {advice.length > 0 && (
          <ul className={styles.advice}>
            {advice.map(({ key, line }) => (
              <li key={key}>{line}</li>
            ))}
          </ul>
        )}
      </div>
      <p className={textStyles.visuallyHidden} role="status">
        {spoken}
      </p>
    </section>
  );
}
