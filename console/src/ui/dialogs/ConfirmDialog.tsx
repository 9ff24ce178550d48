/** Asks before something that cannot be undone. The most serious actions need a word to be typed. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Form } from '../forms/Form.tsx';
import textStyles from '../text/text.module.css';
import { Dialog } from './Dialog.tsx';
import { ReasonField, TypedField } from './fields.tsx';

interface Props {
  title: string;
  submit: string;
  /** What the button says that changes nothing. */
  cancel?: string;
  /** The text to type before the button works. */
  typed?: string;
  /** It can be undone, so its button does not warn. */
  isHarmless?: boolean;
  /** Asks why. People may leave it empty. */
  asksReason?: boolean;
  /** Not a mutation of its own: each of those reads the whole page again. */
  onConfirm(reason: string | undefined): Promise<unknown>;
  onClose(): void;
  children: ReactNode;
}

export function ConfirmDialog(props: Props) {
  const { title, submit, cancel, typed, onConfirm, onClose, children } = props;
  const { asksReason = false, isHarmless = false } = props;
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const confirm = useMutation({
    mutationFn: () => onConfirm(reason.trim() || undefined),
    onSuccess: onClose,
  });
  return (
    <Dialog title={title} open onClose={onClose}>
      <Form
        submit={submit}
        cancel={cancel}
        danger={!isHarmless}
        busy={confirm.isPending}
        disabled={typed !== undefined && text.trim() !== typed}
        problem={confirm.error}
        onSubmit={() => confirm.mutate()}
        onCancel={onClose}
      >
        <div className={textStyles.prose}>{children}</div>
        {asksReason && <ReasonField value={reason} onChange={setReason} />}
        {typed !== undefined && <TypedField wanted={typed} value={text} onChange={setText} />}
      </Form>
    </Dialog>
  );
}
