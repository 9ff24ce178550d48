/** How webhooks look, and in which order they come. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { entriesOf } from '../../../../console/src/entries.ts';
import { Dialog } from '../../../../console/src/ui/dialogs/Dialog.tsx';
import { Choices } from '../../../../console/src/ui/forms/Choices.tsx';
import { Form } from '../../../../console/src/ui/forms/Form.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import { BodyPreview } from '../../../../console/src/widgets/BodyPreview.tsx';
import type { OwnMidoffice } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

const forms = entriesOf(words.receiver.forms).map(([value, label]) => ({ value, label }));
const orders = entriesOf(words.receiver.orders).map(([value, label]) => ({ value, label }));

export function SettingsDialog({
  midoffice,
  onClose,
}: {
  midoffice: OwnMidoffice;
  onClose(): void;
}) {
  const { call } = useView();
  const [body_form, setForm] = useState(midoffice.body_form);
  const [delivery_order, setOrder] = useState(midoffice.delivery_order);
  const save = useMutation({
    mutationFn: () => call('updateMidoffice', { body: { body_form, delivery_order } }),
    onSuccess: () => {
      announce(words.receiver.settingsChanged);
      onClose();
    },
  });
  return (
    <Dialog title={words.receiver.changeSettings} open onClose={onClose} wide>
      <Form
        submit={words.receiver.settingsSubmit}
        busy={save.isPending}
        problem={save.error}
        onSubmit={() => save.mutate()}
        onCancel={onClose}
      >
        <Choices
          legend={words.receiver.form}
          options={forms}
          value={body_form}
          onChange={setForm}
          stacked
        >
          <BodyPreview form={body_form} />
        </Choices>
        <Choices
          legend={words.receiver.orderOfEvents}
          options={orders}
          value={delivery_order}
          onChange={setOrder}
          stacked
        />
      </Form>
    </Dialog>
  );
}
