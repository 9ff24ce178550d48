/** Where a key may be used from. Leaving out the address that one sits at is asked twice. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../../../console/src/api/problem.ts';
import { Dialog } from '../../../../console/src/ui/dialogs/Dialog.tsx';
import { Field } from '../../../../console/src/ui/forms/Field.tsx';
import { Form } from '../../../../console/src/ui/forms/Form.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import type { OwnKey } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

const ASKS_TWICE = 'own_address_excluded';

export function AllowListDialog({ apiKey, onClose }: { apiKey: OwnKey; onClose(): void }) {
  const { call } = useView();
  const [text, setText] = useState((apiKey.allowed_ips ?? []).join('\n'));
  const save = useMutation({
    mutationFn: async (isMeant: boolean) => {
      const lines = text.split(/[\s,]+/).filter((line) => line !== '');
      const allowed_ips = lines.length > 0 ? lines : null;
      const body = { allowed_ips, ...(isMeant && { exclude_own_address: true }) };
      await call('updateKey', { key_id: apiKey.key_id, body });
    },
    onSuccess: () => {
      announce(words.keys.allowSaved);
      onClose();
    },
  });
  const isAsked = save.error?.code === ASKS_TWICE;
  const error = fieldError(save.error, 'allowed_ips');
  return (
    <Dialog title={words.keys.allowTitle} open onClose={onClose}>
      <Form
        submit={isAsked ? words.keys.allowAnyway : words.keys.allowSubmit}
        danger={isAsked}
        busy={save.isPending}
        problem={error ? undefined : save.error}
        onSubmit={() => save.mutate(isAsked)}
        onCancel={onClose}
      >
        <Field label={words.keys.allowLabel} hint={words.keys.allowHint} error={error}>
          {(props) => (
            <textarea
              {...props}
              className={textStyles.mono}
              rows={6}
              spellCheck={false}
              value={text}
              onChange={(event) => {
                save.reset();
                setText(event.target.value);
              }}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  );
}
