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
import { Field } from './Field.tsx';
import { Section } from './Page.tsx';
import { ProblemNote } from './ProblemNote.tsx';

interface Props {
  partner: Partner;
  onChanged(partner: Partner): void;
}

export function PartnerMidoffice({ partner, onChanged }: Props) {
  const { api, places, mayChange } = useDesk();
  const { options, of: nameOf } = useMidofficeNames();
  const now = partner.midoffice_id ?? '';
  const [chosen, setChosen] = useState(now);
  useEffect(() => setChosen(now), [now]);
  const save = useAction(async () => {
    onChanged(await api.partners.update(partner.id, { midoffice_id: chosen || null }));
    announce(chosen ? `Webhooks now go to ${nameOf(chosen)}.` : 'No webhooks are sent any more.');
  });
  const isListed = options.some(([id]) => id === now);
  return (
    <Section title="Midoffice">
      {partner.midoffice_id ? (
        <p>
          Webhooks go to{' '}
          <Link to={places.midoffice(partner.midoffice_id)}>{nameOf(partner.midoffice_id)}</Link>.
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
          <Field label="Send its webhooks to">
            {(props) => (
              <select {...props} value={chosen} onChange={(event) => setChosen(event.target.value)}>
                <option value="">nobody</option>
                {now && !isListed && <option value={now}>{now}</option>}
                {options.map(([id, name]) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Button busy={save.busy} disabled={chosen === now} onClick={() => void save.run()}>
            Save
          </Button>
        </div>
      )}
      {save.problem && <ProblemNote problem={save.problem} />}
    </Section>
  );
}
