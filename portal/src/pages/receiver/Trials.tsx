/** A test event, the certification run with its report, and a rehearsal. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import { ProblemNote } from '../../../../console/src/ui/page/ProblemNote.tsx';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import { SingleAttempt } from '../../../../console/src/widgets/AttemptCard.tsx';
import { ReceiverReport } from '../../../../console/src/widgets/ReceiverReport.tsx';
import { RehearseDialog } from '../../../../console/src/widgets/RehearseDialog.tsx';
import { saveFile } from '../../../../console/src/widgets/usage/save-file.ts';
import { words as shared } from '../../../../console/src/words/words.ts';
import type { ReceiverCertification } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import styles from './Receiver.module.css';

export function Trials({ url }: { url: string }) {
  const { call, may } = useView();
  const [isRehearsing, setRehearsing] = useState(false);
  const test = useMutation({
    mutationFn: () => call('sendTestEvent', {}),
    onSuccess: ({ outcome }) =>
      outcome === 'delivered'
        ? announce(words.receiver.tested)
        : announce(words.receiver.testFailed, 'bad'),
  });
  const check = useMutation({ mutationFn: () => call('checkReceiver', { body: {} }) });
  if (!may('redeliver') && !may('receiver')) return null;
  return (
    <>
      <Section title={may('receiver') ? words.receiver.check : words.receiver.tryOut}>
        {may('receiver') && <p className={textStyles.prose}>{words.receiver.checkText}</p>}
        <div className={styles.buttons}>
          {may('redeliver') && (
            <Button busy={test.isPending} onClick={() => test.mutate()}>
              {words.receiver.test}
            </Button>
          )}
          {may('receiver') && (
            <Button busy={check.isPending} onClick={() => check.mutate()}>
              {check.isPending ? words.receiver.checking : words.receiver.check}
            </Button>
          )}
          {may('receiver') && (
            <Button onClick={() => setRehearsing(true)}>{shared.rehearsal.rehearse}</Button>
          )}
          {check.data && (
            <Button kind="quiet" onClick={() => save(check.data)}>
              {words.receiver.save}
            </Button>
          )}
        </div>
        {test.error && <ProblemNote problem={test.error} />}
        {check.error && <ProblemNote problem={check.error} />}
        {test.data && <SingleAttempt attempt={test.data} isOpen />}
      </Section>
      {check.data && <ReceiverReport report={check.data} />}
      {isRehearsing && (
        <RehearseDialog
          url={url}
          rehearse={(body) => call('rehearse', { body })}
          onClose={() => setRehearsing(false)}
        />
      )}
    </>
  );
}

function save(report: ReceiverCertification): void {
  const text = `${JSON.stringify(report, null, 2)}\n`;
  saveFile(new Blob([text], { type: 'application/json' }), words.receiver.reportName);
}
