import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import type { Midoffice, NewMidoffice } from '../../api/types.ts';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { RehearseDialog } from '../../widgets/RehearseDialog.tsx';
import { words } from '../../words/words.ts';
import {
  isAtMidofficeField,
  isComplete,
  MidofficeFields,
  type MidofficeText,
  midofficeText,
  newMidoffice,
} from './MidofficeFields.tsx';

interface Props {
  title: string;
  submit: string;
  midoffice?: Midoffice;
  /** What the fields of a new midoffice start with. */
  initial?: Partial<MidofficeText>;
  /** Where there are webhooks that a new URL can be tried with. */
  rehearse?: ComponentProps<typeof RehearseDialog>['rehearse'];
  onSave(fields: NewMidoffice): Promise<unknown>;
  onClose(): void;
}

export function MidofficeDialog(props: Props) {
  const { title, submit, midoffice, initial, rehearse, onSave, onClose } = props;
  const [isRehearsing, setRehearsing] = useState(false);
  const [text, setText] = useState({ ...midofficeText(midoffice), ...initial });
  const save = useMutation({ mutationFn: () => onSave(newMidoffice(text)) });
  return (
    <Dialog title={title} open onClose={onClose} wide>
      <Form
        submit={submit}
        busy={save.isPending}
        disabled={!isComplete(text)}
        problem={isAtMidofficeField(save.error) ? undefined : save.error}
        onSubmit={() => save.mutate()}
        onCancel={onClose}
      >
        <MidofficeFields
          text={text}
          onChange={setText}
          problem={save.error}
          belowUrl={
            rehearse &&
            text.url.trim() !== midoffice?.url && (
              <div>
                <Button onClick={() => setRehearsing(true)}>{words.rehearsal.rehearseNew}</Button>
              </div>
            )
          }
        />
      </Form>
      {rehearse && isRehearsing && (
        <RehearseDialog
          url={text.url.trim()}
          rehearse={rehearse}
          onClose={() => setRehearsing(false)}
        />
      )}
    </Dialog>
  );
}
