/** Where the webhooks about a partner's orders go. */
import { useEffect, useState } from 'react';
import { useAction } from '../action.ts';
import { announce } from '../announce.ts';
import { useDesk } from '../desk.tsx';
import type { Partner } from '../model.ts';
import { useMidofficeNames } from '../names.ts';
import { Link } from '../router.tsx';
import { Button } from './Button.tsx';
import { Empty } from './Empty.tsx';
import { Section } from './Page.tsx';
import { Picker } from './Picker.tsx';
import { ProblemNote } from './ProblemNote.tsx';

interface Props {
  partner: Partner;
  onChanged(partner: Partner): void;
}

export function PartnerMidoffice({ partner, onChanged }: Props) {
  const { api, places, mayChange } = useDesk();
  const names = useMidofficeNames();
  const now = partner.midoffice_id ?? '';
  const [chosen, setChosen] = useState(now);
  useEffect(() => setChosen(now), [now]);
  const save = useAction(async () => {
    onChanged(await api.partners.update(partner.id, { midoffice_id: chosen || null }));
    announce(chosen ? `Webhooks now go to ${names.of(chosen)}.` : 'No webhooks are sent any more.');
  });
  return (
    <Section title="Midoffice">
      {partner.midoffice_id ? (
        <p>
          Webhooks go to{' '}
          <Link to={places.midoffice(partner.midoffice_id)}>{names.of(partner.midoffice_id)}</Link>.
        </p>
      ) : (
        <Empty title="No webhooks are sent for this partner.">
          {mayChange ? (
            <>
              Choose its midoffice below, or <Link to={places.midoffices}>register one first</Link>.
            </>
          ) : (
            'It has no midoffice.'
          )}
        </Empty>
      )}
      {mayChange && (
        <div className="inline-form">
          <Picker
            label="Send its webhooks to"
            none="nobody"
            names={names}
            value={chosen}
            onChange={setChosen}
          />
          <Button busy={save.busy} disabled={chosen === now} onClick={() => void save.run()}>
            Save
          </Button>
        </div>
      )}
      {save.problem && <ProblemNote problem={save.problem} />}
    </Section>
  );
}
