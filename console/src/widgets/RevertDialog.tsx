/** Undoes a change: the server makes it as any other, by the same rules, and adds an entry to the audit. */
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

interface Props {
  entry: AuditEntry;
  onClose(): void;
}

export function RevertDialog({ entry, onClose }: Props) {
  const { call, environment } = useEnvironment();
  const [approval, setApproval] = useState('');
  const needsApproval = environment === 'production' && raisesAgain(entry);
  const revert = useMutation({
    mutationFn: () =>
      call('revertChange', {
        id: entry.id,
        body: needsApproval ? { approval_reference: approval.trim() } : {},
      }),
    onSuccess: () => {
      announce('The change is undone.');
      onClose();
    },
  });
  const error = fieldError(revert.error, 'approval_reference');
  return (
    <Dialog title="Undo this change?" open onClose={onClose}>
      <Form
        submit="Undo the change"
        cancel="Keep it"
        busy={revert.isPending}
        disabled={needsApproval && approval.trim() === ''}
        problem={error ? undefined : revert.error}
        onSubmit={() => revert.mutate()}
        onCancel={onClose}
      >
        <div className={textStyles.prose}>
          <p>
            <strong>{actorName(entry.actor)}</strong> {entry.sentence}.
          </p>
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

function raisesAgain({ action, before, after }: AuditEntry): boolean {
  if (action !== 'key.grant' || !before || !after) return false;
  return letsMoreThrough(after as Grant, before as Grant);
}
