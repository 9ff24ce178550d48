/** The steps of a partner's onboarding in words. */
import type { ReactNode } from 'react';
import type { OnboardingStep } from '../../api/types.ts';
import { Steps } from '../../ui/page/Steps.tsx';
import { Time } from '../../ui/text/Time.tsx';

type Name = OnboardingStep['name'];

const words: Record<Name, { title: string; todo: string }> = {
  key: { title: 'Key', todo: 'Create a key, with which the partner signs in.' },
  receiver: {
    title: 'Midoffice',
    todo: 'Create the midoffice that its webhooks go to, or choose one under “Midoffice”.',
  },
  test_webhook: {
    title: 'Test webhook',
    todo: 'Send a signed test event. The receiver has to answer with 2xx.',
  },
  receiver_certified: {
    title: 'Receiver check',
    todo: 'Run the check. The receiver has to pass all of it, forged webhooks included.',
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

export function OnboardingSteps({ steps, buttonOf }: Props) {
  const isComplete = steps.every(({ done }) => done);
  const list = (
    <Steps
      steps={steps.map((step) => ({
        title: words[step.name].title,
        isDone: step.done,
        detail: <Detail step={step} />,
        button: !step.done && buttonOf(step.name),
      }))}
    />
  );
  if (!isComplete) return list;
  return (
    <details>
      <summary>All {steps.length} steps are done.</summary>
      {list}
    </details>
  );
}

function Detail({ step: { name, done, at, detail } }: { step: OnboardingStep }) {
  return (
    <>
      {detail ?? (done ? '' : words[name].todo)}
      {detail && at && ' · '}
      {at && <Time at={at} />}
    </>
  );
}
