/** Undoes one change or several: the server makes each as any other, by the same rules, and adds an entry to the audit. */
import { actorName } from '@bellhop/rules/actor-name';
import { letsMoreThrough } from '@bellhop/rules/raise';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../api/problem.ts';
import type { AuditEntry, Grant } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import { Dialog } from '../ui/dialogs/Dialog.tsx';
import { Form } from '../ui/forms/Form.tsx';
import { TextField } from '../ui/forms/TextField.tsx';
import { announce } from '../ui/page/announce.ts';
import textStyles from '../ui/text/text.module.css';
import { inChosenZone } from '../ui/text/times.ts';

interface Props {
  entries: readonly [AuditEntry, ...AuditEntry[]];
  onClose(): void;
}

export function RevertDialog({ entries, onClose }: Props) {
  const { call, environment } = useEnvironment();
  const [approval, setApproval] = useState('');
  const [left, setLeft] = useState<readonly AuditEntry[]>(entries);
  const needsApproval = environment === 'production' && entries.some(raisesAgain);
  const body = needsApproval ? { approval_reference: approval.trim() } : {};
  const isOne = entries.length === 1;
  const revert = useMutation({
    mutationFn: async () => {
      for (const [n, { id }] of left.entries()) {
        await call('revertChange', { id, body });
        setLeft(left.slice(n + 1));
      }
    },
    onSuccess: () => {
      announce(isOne ? 'The change is undone.' : 'The changes are undone.');
      onClose();
    },
  });
  const error = fieldError(revert.error, 'approval_reference');
  return (
    <Dialog title={isOne ? 'Undo this change?' : 'Undo these changes?'} open onClose={onClose}>
      <Form
        submit={isOne ? 'Undo the change' : 'Undo the changes'}
        cancel={isOne ? 'Keep it' : 'Keep them'}
        busy={revert.isPending}
        disabled={needsApproval && approval.trim() === ''}
        problem={error ? undefined : revert.error}
        onSubmit={() => revert.mutate()}
        onCancel={onClose}
      >
        <div className={textStyles.prose}>
          {left.map(({ id, actor, sentence }) => (
            <p key={id}>
              <strong>{actorName(actor)}</strong> {inChosenZone(sentence)}.
            </p>
          ))}
          {left.length < entries.length && (
            <p>
              {entries.length - left.length} of {entries.length} are undone.
            </p>
          )}
          <p>
            Everything it changed becomes what it was before. Nothing happens if it was changed
            again since.
          </p>
        </div>
        {needsApproval && (
          <TextField
            label="Approval reference"
            hint="This lets more calls through again, so it needs an approval like any raise."
            error={error}
            value={approval}
            maxLength={200}
            onChange={setApproval}
          />
        )}
      </Form>
    </Dialog>
  );
}

/** Putting back a higher limit is a raise. */
export function raisesAgain({ action, before, after }: AuditEntry): boolean {
  if (action !== 'key.grant' || !before || !after) return false;
  return letsMoreThrough(after as Grant, before as Grant);
}
