/** Changing one grant. Letting more through in production wants a certified partner and an approval. */
import { letsMoreThrough } from '@bellhop/rules/raise';
import { useState } from 'react';
import { useAction } from '../action.ts';
import { announce } from '../announce.ts';
import { shortPath } from '../areas.ts';
import { useDesk } from '../desk.tsx';
import type { Grant, Key, Partner } from '../model.ts';
import { fieldError } from '../problem.ts';
import { Link } from '../router.tsx';
import { windowOf } from '../times.ts';
import { Dialog } from './Dialog.tsx';
import { Field } from './Field.tsx';
import { Form } from './Form.tsx';
import { Note } from './Note.tsx';
import { Toggle } from './Toggle.tsx';

interface Props {
  apiKey: Key;
  partner: Partner | undefined;
  grant: Grant;
  onSaved(): void;
  onClose(): void;
}

export function GrantDialog({ apiKey, partner, grant, onSaved, onClose }: Props) {
  const { api, environment, places } = useDesk();
  const [isActive, setActive] = useState(grant.is_active);
  const [isDebug, setDebug] = useState(grant.is_debug_mode);
  const [isLimited, setLimited] = useState(grant.is_limited);
  const [requests, setRequests] = useState(String(grant.requests_number));
  const [seconds, setSeconds] = useState(String(grant.seconds_number));
  const [approval, setApproval] = useState('');

  const changed: Grant = {
    endpoint: grant.endpoint,
    is_active: isActive,
    is_debug_mode: isDebug,
    is_limited: isLimited,
    requests_number: Number(requests),
    seconds_number: Number(seconds),
  };
  const save = useAction(async () => {
    const { warnings } = await api.keys.grant(apiKey.key_id, {
      ...changed,
      ...(approval.trim() && { approval_reference: approval.trim() }),
    });
    announce(['Saved.', ...warnings.map((warning) => warning.detail)].join(' '));
    onSaved();
    onClose();
  });

  const isWhole = [requests, seconds].every((text) => /^[1-9]\d*$/.test(text));
  const raises = environment === 'production' && isWhole && letsMoreThrough(grant, changed);
  const uncertified =
    save.problem?.code === 'certification_required' || (raises && partner?.certified_at === null);
  const wantsApproval = (raises && !uncertified) || save.problem?.code === 'approval_required';
  const approvalError =
    save.problem?.code === 'approval_required'
      ? save.problem.message
      : fieldError(save.problem, 'approval_reference');
  const atFields =
    uncertified ||
    approvalError ||
    fieldError(save.problem, 'requests_number') ||
    fieldError(save.problem, 'seconds_number');

  return (
    <Dialog title={shortPath(grant.endpoint)} open onClose={onClose}>
      <Form
        submit={raises ? 'Raise limit' : 'Save'}
        busy={save.busy}
        disabled={!isWhole || (raises && uncertified) || (wantsApproval && approval.trim() === '')}
        problem={atFields ? undefined : save.problem}
        onSubmit={() => void save.run()}
        onCancel={onClose}
      >
        <div className="toggles">
          <Toggle
            label="Active"
            checked={isActive}
            disabled={grant.endpoint.endsWith('/v3/overview/')}
            onChange={setActive}
          />
          <Toggle label="Debug mode available" checked={isDebug} onChange={setDebug} />
          <Toggle label="Limited" checked={isLimited} onChange={setLimited} />
        </div>
        <div className="field-pair">
          <Field label="requests_number" error={fieldError(save.problem, 'requests_number')}>
            {(props) => (
              <input
                {...props}
                inputMode="numeric"
                value={requests}
                onChange={(event) => setRequests(event.target.value.trim())}
              />
            )}
          </Field>
          <Field label="seconds_number" error={fieldError(save.problem, 'seconds_number')}>
            {(props) => (
              <input
                {...props}
                inputMode="numeric"
                value={seconds}
                onChange={(event) => setSeconds(event.target.value.trim())}
              />
            )}
          </Field>
        </div>
        <p className="field-hint" aria-live="polite">
          {!isWhole
            ? 'Both are whole numbers from 1.'
            : isLimited
              ? `At most ${requests} requests in any ${windowOf(Number(seconds))}.`
              : 'Calls are not counted; the numbers are shown to the partner all the same.'}
        </p>
        {isWhole && Number(seconds) > Number(requests) && (
          <Note>
            The specification says that <code>seconds_number</code> should not exceed{' '}
            <code>requests_number</code>; its own table does so as well, so this is allowed.
          </Note>
        )}
        {uncertified && (
          <Note kind="warn">
            This lets more through than now ({grant.requests_number} per{' '}
            {windowOf(grant.seconds_number)}). Limits are raised only after certification is
            completed, and {partner?.name ?? 'the partner'} is not certified yet.{' '}
            <Link to={places.partner(apiKey.partner_id)}>Record its certification first</Link>.
          </Note>
        )}
        {wantsApproval && (
          <Field
            label="Approval reference"
            error={approvalError}
            hint="Raising needs a separate approval. Say where it is documented; it goes into the audit."
          >
            {(props) => (
              <input
                {...props}
                value={approval}
                maxLength={200}
                onChange={(event) => setApproval(event.target.value)}
              />
            )}
          </Field>
        )}
      </Form>
    </Dialog>
  );
}
