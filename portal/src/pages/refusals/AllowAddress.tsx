/** A call was refused because of its address: lets that address in, where the session may. */
import { useState } from 'react';
import { ConfirmDialog } from '../../../../console/src/ui/dialogs/ConfirmDialog.tsx';
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import type { OwnKey, OwnRefusal } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

interface Props {
  refusal: OwnRefusal;
  keys: readonly OwnKey[];
}

export function AllowAddress({ refusal: { code, address, key_id }, keys }: Props) {
  const { call, may } = useView();
  const [isAsking, setAsking] = useState(false);
  const key = keys.find((one) => one.key_id === key_id);
  if (code !== 'not_allowed_host' || !key) return null;
  const allowed = key.allowed_ips ?? [];
  if (key.allowed_ips === null || allowed.includes(address)) {
    return <span className={textStyles.dim}>{words.refusals.alreadyAllowed}</span>;
  }
  if (!may('keys')) return null;
  return (
    <>
      <Button kind="quiet" onClick={() => setAsking(true)}>
        {words.refusals.allow}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={words.refusals.allowTitle(address)}
          submit={words.refusals.allowSubmit}
          isHarmless
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            const body = { allowed_ips: [...allowed, address] };
            await call('updateKey', { key_id: key.key_id, body });
            announce(words.refusals.allowed(address));
          }}
        >
          <p>{words.refusals.allowText(address, key.key_id)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
