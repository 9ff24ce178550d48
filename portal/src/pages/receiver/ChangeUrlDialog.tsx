/** A new URL takes effect only when it has answered a signed test webhook; until then the old one stays. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../../../console/src/api/problem.ts';
import { Dialog } from '../../../../console/src/ui/dialogs/Dialog.tsx';
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import { Form } from '../../../../console/src/ui/forms/Form.tsx';
import { TextField } from '../../../../console/src/ui/forms/TextField.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import { RehearseDialog } from '../../../../console/src/widgets/RehearseDialog.tsx';
import { words as shared } from '../../../../console/src/words/words.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

export function ChangeUrlDialog({ url: current, onClose }: { url: string; onClose(): void }) {
  const { call } = useView();
  const [url, setUrl] = useState(current);
  const [isRehearsing, setRehearsing] = useState(false);
  const change = useMutation({
    mutationFn: () => call('updateMidoffice', { body: { url: url.trim() } }),
    onSuccess: () => {
      announce(words.receiver.urlChanged);
      onClose();
    },
  });
  const error = fieldError(change.error, 'url');
  return (
    <Dialog title={words.receiver.changeUrl} open onClose={onClose} wide>
      <Form
        submit={words.receiver.changeUrlSubmit}
        busy={change.isPending}
        disabled={url.trim() === '' || url.trim() === current}
        problem={error ? undefined : change.error}
        onSubmit={() => change.mutate()}
        onCancel={onClose}
      >
        <p className={textStyles.prose}>{words.receiver.changeUrlText}</p>
        <TextField
          label={words.receiver.newUrl}
          error={error}
          type="url"
          value={url}
          onChange={setUrl}
        />
        {url.trim() !== '' && url.trim() !== current && (
          <div>
            <Button onClick={() => setRehearsing(true)}>{shared.rehearsal.rehearseNew}</Button>
          </div>
        )}
      </Form>
      {isRehearsing && (
        <RehearseDialog
          url={url.trim()}
          rehearse={(body) => call('rehearse', { body })}
          onClose={() => setRehearsing(false)}
        />
      )}
    </Dialog>
  );
}
