/** What an environment without deliveries offers in place of empty charts: the first steps. */
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Beginnings } from '../../api/queries.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { NewButton } from '../../ui/dialogs/NewButton.tsx';
import buttonStyles from '../../ui/forms/Button.module.css';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { Steps } from '../../ui/page/Steps.tsx';
import { NewPartnerDialog } from '../../widgets/NewPartnerDialog.tsx';
import { TriggerCommand } from '../../widgets/TriggerCommand.tsx';
import styles from './Overview.module.css';

const POLL_MS = 5_000;

/** The children, if there was ever a delivery. */
export function OrFirstSteps({ children }: { children: ReactNode }) {
  const { queries } = useEnvironment();
  const query = useLiveQuery(queries.beginnings(), POLL_MS);
  return (
    <Loaded query={query}>
      {(found) => (found.hasDelivery ? children : <FirstSteps found={found} />)}
    </Loaded>
  );
}

function FirstSteps({ found: { partner, key, midoffice } }: { found: Beginnings }) {
  const { environment, links, mayChange } = useEnvironment();
  const navigate = useNavigate();
  const isTested = midoffice !== undefined && midoffice.health !== 'untested';
  const toPartner = (label: string) =>
    mayChange &&
    partner && (
      <Link className={buttonStyles.button} {...links.partner(partner.id)}>
        {label}
      </Link>
    );
  return (
    <Section title={`First steps in ${environment}`}>
      <Steps
        steps={[
          {
            title: 'Create a partner',
            isDone: partner !== undefined,
            detail: partner ? partner.name : 'The company that calls the API and gets webhooks.',
            button: mayChange && !partner && (
              <NewButton
                label="New partner"
                dialog={(close) => (
                  <NewPartnerDialog
                    onCreated={({ id }) => void navigate(links.partner(id))}
                    onClose={close}
                  />
                )}
              />
            ),
          },
          {
            title: 'Give it a key',
            isDone: key !== undefined,
            detail: key
              ? (key.label ?? key.key_id)
              : 'It signs in with a key. The API key is shown once.',
            button: !key && toPartner('Open the partner'),
          },
          {
            title: 'Create its midoffice, and send a test event',
            isDone: isTested,
            detail: midoffice
              ? `${midoffice.name}${isTested ? '' : ', not tested yet'}`
              : 'Its webhooks go there. The test event shows whether they arrive.',
            button: key && !isTested && toPartner('Open the partner'),
          },
        ]}
      />
      <p className={styles.then}>
        Then the booking core posts events of orders, and the charts begin here. Try it with{' '}
        <TriggerCommand />.
      </p>
    </Section>
  );
}
