/** A new contact, or the notices of one. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../../console/src/ui/dialogs/Dialog.tsx';
import { Checks } from '../../../../console/src/ui/forms/Checks.tsx';
import { Form } from '../../../../console/src/ui/forms/Form.tsx';
import { TextField } from '../../../../console/src/ui/forms/TextField.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import type { Contact, NoticeKind } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

const KINDS = Object.keys(words.contacts.kinds) as NoticeKind[];

interface Props {
  /** Without one, it is new. */
  contact: Contact | undefined;
  /** Those that stay as they are. */
  others: readonly Contact[];
  onClose(): void;
}

export function ContactDialog({ contact, others, onClose }: Props) {
  const { call } = useView();
  const { contacts: said } = words;
  const [email, setEmail] = useState(contact?.email ?? '');
  const [notices, setNotices] = useState<NoticeKind[]>(contact?.notices ?? KINDS);
  const save = useMutation({
    mutationFn: () => {
      const kept = others.map((one) => ({ email: one.email, notices: one.notices }));
      const given = { email: email.trim(), notices };
      return call('putContacts', { body: { contacts: [...kept, given] } });
    },
    onSuccess: () => {
      announce(contact ? said.saved : said.added);
      onClose();
    },
  });
  const isWrong = save.error?.code === 'validation_failed';
  return (
    <Dialog title={contact ? said.editTitle(contact.email) : said.add} open onClose={onClose}>
      <Form
        submit={contact ? said.save : said.addSubmit}
        busy={save.isPending}
        disabled={email.trim() === ''}
        problem={isWrong ? undefined : save.error}
        onSubmit={() => save.mutate()}
        onCancel={onClose}
      >
        {!contact && (
          <TextField
            label={said.email}
            hint={said.emailHint}
            error={isWrong ? said.emailWrong : undefined}
            type="email"
            autoComplete="email"
            value={email}
            onChange={(text) => {
              save.reset();
              setEmail(text);
            }}
          />
        )}
        <Checks
          legend={said.wanted}
          options={KINDS.map((value) => ({ value, label: said.kinds[value] }))}
          value={notices}
          onChange={setNotices}
        />
      </Form>
    </Dialog>
  );
}
