/** Where the webhooks about a partner's orders go. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import formStyles from '../../ui/forms/Form.module.css';
import { announce } from '../../ui/page/announce.ts';
import { Empty } from '../../ui/page/Empty.tsx';
import { Note } from '../../ui/page/Note.tsx';
import { ProblemNote } from '../../ui/page/ProblemNote.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { MidofficeLink } from '../../widgets/NameLink.tsx';
import { Picker } from '../../widgets/Picker.tsx';
import { useName } from '../../widgets/use-name.ts';

export function PartnerMidoffice({ partner }: { partner: Partner }) {
  const { call, environment, links, mayChange } = useEnvironment();
  const now = partner.midoffice_id ?? '';
  const [chosen, setChosen] = useState(now);
  useEffect(() => setChosen(now), [now]);
  const chosenName = useName('midoffices', chosen);
  const [isAsking, setAsking] = useState(false);
  const assign = async () => {
    await call('updatePartner', { id: partner.id, body: { midoffice_id: chosen || null } });
    announce(chosen ? `Webhooks now go to ${chosenName}.` : 'No webhooks are sent any more.');
  };
  const save = useMutation({ mutationFn: assign });
  const askOrSave = () => (environment === 'production' ? setAsking(true) : save.mutate());
  return (
    <Section title="Midoffice">
      {partner.midoffice_id ? (
        <>
          <p>
            Webhooks go to <MidofficeLink id={partner.midoffice_id} />.
          </p>
          <Warnings midofficeId={partner.midoffice_id} />
        </>
      ) : (
        <Empty title="No webhooks are sent for this partner.">
          {mayChange ? (
            <>
              Choose a midoffice below, or <Link {...links.midoffices}>register one first</Link>.
            </>
          ) : (
            'The partner has no midoffice.'
          )}
        </Empty>
      )}
      {mayChange && (
        <div className={formStyles.inline}>
          <Picker
            label="Send its webhooks to"
            none="No midoffice"
            kind="midoffices"
            value={chosen}
            onChange={setChosen}
          />
          <Button busy={save.isPending} disabled={chosen === now} onClick={askOrSave}>
            Save
          </Button>
        </div>
      )}
      {save.error && <ProblemNote problem={save.error} />}
      {isAsking && (
        <ChangeDialog
          partner={partner}
          chosen={chosen}
          onConfirm={assign}
          onClose={() => setAsking(false)}
        />
      )}
    </Section>
  );
}

/** What the midoffice is warned of, which may be because of this partner. */
function Warnings({ midofficeId }: { midofficeId: string }) {
  const { queries } = useEnvironment();
  const { data } = useQuery(queries.midoffice(midofficeId));
  return data?.warnings.map(({ code, detail }) => (
    <Note key={code} kind="warn">
      {detail}
    </Note>
  ));
}

interface ChangeProps {
  partner: Partner;
  chosen: string;
  onConfirm(): Promise<unknown>;
  onClose(): void;
}

/** Names both companies: the wrong one would read a partner's orders. */
function ChangeDialog({ partner, chosen, onConfirm, onClose }: ChangeProps) {
  const nowName = useName('midoffices', partner.midoffice_id ?? '');
  const chosenName = useName('midoffices', chosen);
  return (
    <ConfirmDialog
      title={chosen ? 'Send webhooks to another midoffice?' : 'Stop sending webhooks?'}
      submit={chosen ? `Send to ${chosenName}` : 'Stop webhooks'}
      cancel={partner.midoffice_id ? `Keep ${nowName}` : 'Keep none'}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        Webhooks about the orders of <strong>{partner.name}</strong>{' '}
        {partner.midoffice_id ? (
          <>
            go to <strong>{nowName}</strong> now.
          </>
        ) : (
          'go to nobody now.'
        )}
      </p>
      <p>
        {chosen ? (
          <>
            From now on, <strong>{chosenName}</strong> receives them instead
            {partner.midoffice_id && <>, and {nowName} no longer does</>}.
          </>
        ) : (
          'From now on, new events have no midoffice and are not sent.'
        )}
      </p>
    </ConfirmDialog>
  );
}
