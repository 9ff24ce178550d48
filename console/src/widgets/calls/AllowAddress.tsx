/** A call was refused because of its address: lets that address in. */
import { useState } from 'react';
import type { Call } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { announce } from '../../ui/page/announce.ts';

export function AllowAddress({ call: { address, key_id, verdict } }: { call: Call }) {
  const { call, mayChange } = useEnvironment();
  const [isAsking, setAsking] = useState(false);
  const isRefused = verdict.code === 'address_not_allowed' && !verdict.facts.is_over;
  if (!isRefused || key_id === null || !mayChange) return null;
  return (
    <>
      <Button kind="quiet" onClick={() => setAsking(true)}>
        Allow {address}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Let ${address} use key ${key_id}?`}
          submit="Allow the address"
          isHarmless
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            // What the page shows of the list may be out of date.
            const { allowed_ips } = await call('getKey', { key_id });
            const body = { allowed_ips: allowed_ips && [...allowed_ips, address] };
            await call('updateKey', { key_id, body });
            announce(`Key ${key_id} allows ${address}.`);
          }}
        >
          <p>The address is added to the allow-list of the key. It counts within a second.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
