/** The list of steps, with what is done, what comes next, and the button for it. */
import type { ReactNode } from 'react';
import type { OnboardingStep } from '../../api/types.ts';
import { classes } from '../../ui/text/classes.ts';
import { CheckIcon } from '../../ui/text/icons.tsx';
import { Time } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import styles from './OnboardingSteps.module.css';

type Name = OnboardingStep['name'];

const words: Record<Name, { title: string; todo: string }> = {
  key: { title: 'Key', todo: 'The partner signs in with a key.' },
  receiver: {
    title: 'Receiver',
    todo: 'Register where its webhooks go, or choose a midoffice under “Midoffice”.',
  },
  test_webhook: { title: 'Test webhook', todo: 'The receiver answers 2xx to a signed test event.' },
  receiver_certified: {
    title: 'Receiver certified',
    todo: 'The receiver passes all checks, also those with forged webhooks.',
  },
  certification: {
    title: 'Certification recorded',
    todo: 'Record where the partner’s certification is documented.',
  },
};

interface Props {
  steps: readonly OnboardingStep[];
  /** Nothing if the step cannot be taken yet. */
  buttonOf(name: Name): ReactNode;
}

export function Steps({ steps, buttonOf }: Props) {
  const isComplete = steps.every(({ done }) => done);
  const list = (
    <ol className={styles.steps}>
      {steps.map((step, at) => (
        <Step key={step.name} step={step} number={at + 1}>
          {!step.done && buttonOf(step.name)}
        </Step>
      ))}
    </ol>
  );
  if (!isComplete) return list;
  return (
    <details>
      <summary>All {steps.length} steps are done.</summary>
      {list}
    </details>
  );
}

interface StepProps {
  step: OnboardingStep;
  number: number;
  children: ReactNode;
}

function Step({ step: { name, done, at, detail }, number, children }: StepProps) {
  const { title, todo } = words[name];
  return (
    <li className={classes(styles.step, done && styles.done)}>
      <span className={styles.mark} aria-hidden="true">
        {done ? <CheckIcon /> : number}
      </span>
      <div className={styles.words}>
        <p>
          <strong>{title}</strong>
          <span className={textStyles.visuallyHidden}>{done ? ', done' : ', not done yet'}</span>
        </p>
        <p className={styles.detail}>
          {detail ?? (done ? '' : todo)}
          {detail && at && ' · '}
          {at && <Time at={at} />}
        </p>
      </div>
      {children && <div className={styles.button}>{children}</div>}
    </li>
  );
}
