/** A list of steps, with what is done, and a button for what is to be done. */
import type { ReactNode } from 'react';
import { classes } from '../text/classes.ts';
import { CheckIcon } from '../text/icons.tsx';
import textStyles from '../text/text.module.css';
import styles from './Steps.module.css';

export interface Step {
  title: string;
  isDone: boolean;
  /** What is to be done, or what came of it. */
  detail: ReactNode;
  button?: ReactNode;
}

export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className={styles.steps}>
      {steps.map(({ title, isDone, detail, button }, at) => (
        <li key={title} className={classes(styles.step, isDone && styles.done)}>
          <span className={styles.mark} aria-hidden="true">
            {isDone ? <CheckIcon /> : at + 1}
          </span>
          <div className={styles.words}>
            <p>
              <strong>{title}</strong>
              <span className={textStyles.visuallyHidden}>
                {isDone ? ', done' : ', not done yet'}
              </span>
            </p>
            <p className={styles.detail}>{detail}</p>
          </div>
          {button && <div className={styles.button}>{button}</div>}
        </li>
      ))}
    </ol>
  );
}
