/**
 * The steps from a new partner to a certified one. Each step is done here, without leaving the page. Once all are
 * done, they fold into one line.
 */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { OnboardingStep, Partner, Onboarding as Progress } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { announce } from '../../ui/page/announce.ts';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Note } from '../../ui/page/Note.tsx';
import { ProblemNote } from '../../ui/page/ProblemNote.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { SingleAttempt } from '../../widgets/AttemptCard.tsx';
import { ReceiverReport } from '../../widgets/ReceiverReport.tsx';
import { CertifyDialog } from './CertifyDialog.tsx';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { NewReceiverDialog } from './NewReceiverDialog.tsx';
import { OnboardingSteps } from './OnboardingSteps.tsx';

const POLL_MS = 4_000;

export function Onboarding({ partner }: { partner: Partner }) {
  const { queries } = useEnvironment();
  const query = useLiveQuery(queries.onboarding(partner.id), POLL_MS);
  return (
    <Loaded query={query}>{(progress) => <Shown partner={partner} progress={progress} />}</Loaded>
  );
}

interface Action {
  label: string;
  isBusy?: boolean;
  /** Undefined while the step cannot be taken yet. */
  act: (() => void) | undefined;
}

interface Props {
  partner: Partner;
  progress: Progress;
}

function Shown({ partner, progress }: Props) {
  const { call, mayChange } = useEnvironment();
  const { key_id: keyId, midoffice_id: midofficeId, steps } = progress;
  const test = useMutation({
    mutationFn: (id: string) => call('sendTestEvent', { id }),
    onSuccess: ({ outcome }) =>
      announce(
        outcome === 'delivered' ? 'The test event was delivered.' : 'The test event failed.',
      ),
  });
  const certify = useMutation({
    mutationFn: (id: string) => call('certifyReceiver', { id }),
    onSuccess: ({ verdict }) =>
      announce(
        verdict === 'passed'
          ? 'The receiver passed its check.'
          : 'The receiver did not pass its check.',
      ),
  });
  // Here and not beside its button: the button goes away when its step is done, the dialog must not.
  const [open, setOpen] = useState<'key' | 'receiver' | 'certification'>();
  const close = () => setOpen(undefined);
  const next = steps.find(({ done }) => !done)?.name;
  const actions: Record<OnboardingStep['name'], Action> = {
    key: { label: 'Create a key', act: () => setOpen('key') },
    receiver: {
      label: 'Create a midoffice',
      act: keyId === null ? undefined : () => setOpen('receiver'),
    },
    test_webhook: {
      label: 'Send test event',
      isBusy: test.isPending,
      act: midofficeId === null ? undefined : () => test.mutate(midofficeId),
    },
    receiver_certified: {
      label: 'Check receiver',
      isBusy: certify.isPending,
      act: midofficeId === null ? undefined : () => certify.mutate(midofficeId),
    },
    certification: { label: 'Record certification', act: () => setOpen('certification') },
  };
  const buttonOf = (name: OnboardingStep['name']) => {
    const { label, act, isBusy = false } = actions[name];
    if (!mayChange || !act) return null;
    return (
      <Button kind={name === next ? 'primary' : 'plain'} busy={isBusy} onClick={act}>
        {label}
      </Button>
    );
  };
  const problem = test.error ?? certify.error;
  return (
    <>
      <Section title="Onboarding">
        <OnboardingSteps steps={steps} buttonOf={buttonOf} />
        {problem && <ProblemNote problem={problem} />}
        {certify.isPending && (
          <Note>Checking: about 40 requests, one at a time. This takes up to half a minute.</Note>
        )}
        {test.data && <SingleAttempt attempt={test.data} />}
      </Section>
      {certify.data && <ReceiverReport report={certify.data} />}
      {open === 'key' && <NewKeyDialog partner={partner} onClose={close} />}
      {open === 'receiver' && keyId !== null && (
        <NewReceiverDialog partner={partner} keyId={keyId} onClose={close} />
      )}
      {open === 'certification' && <CertifyDialog partner={partner} onClose={close} />}
    </>
  );
}
