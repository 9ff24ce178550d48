/** Changes one grant. Raising a limit in production needs a certified partner and an approval. */

import { letsMoreThrough } from '@bellhop/rules/raise';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { shortPath } from '../../../../server/src/catalogue.ts';
import { fieldError } from '../../api/problem.ts';
import type { Grant, Key, Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import fieldStyles from '../../ui/forms/Field.module.css';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import toggleStyles from '../../ui/forms/Toggle.module.css';
import { Toggle } from '../../ui/forms/Toggle.tsx';
import { announce } from '../../ui/page/announce.ts';
import { Note } from '../../ui/page/Note.tsx';
import { windowOf } from '../../ui/text/durations.ts';
import { limitInWords } from '../../widgets/limit-words.ts';
import { PeakNote } from './PeakNote.tsx';

interface Props {
  apiKey: Key;
  partner: Partner | undefined;
  grant: Grant;
  onClose(): void;
}

export function GrantDialog({ apiKey, partner, grant, onClose }: Props) {
  const { call, environment, links } = useEnvironment();
  const [isActive, setActive] = useState(grant.is_active);
  const [isDebug, setDebug] = useState(grant.is_debug_mode);
  const [isLimited, setLimited] = useState(grant.is_limited);
  const [requests, setRequests] = useState(String(grant.requests_number));
  const [seconds, setSeconds] = useState(String(grant.seconds_number));
  const [approval, setApproval] = useState('');
  const [volume, setVolume] = useState('');

  const changed: Grant = {
    endpoint: grant.endpoint,
    is_active: isActive,
    is_debug_mode: isDebug,
    is_limited: isLimited,
    requests_number: Number(requests),
    seconds_number: Number(seconds),
  };
  const save = useMutation({
    mutationFn: () =>
      call('putGrant', {
        key_id: apiKey.key_id,
        body: {
          ...changed,
          ...(approval.trim() && { approval_reference: approval.trim() }),
          ...(volume.trim() && { expected_sales_volume: volume.trim() }),
        },
      }),
    onSuccess: ({ warnings }) => {
      announce(['Saved.', ...warnings.map((warning) => warning.detail)].join(' '));
      onClose();
    },
  });

  const isWhole = [requests, seconds].every((text) => /^[1-9]\d*$/.test(text));
  const letsMore = isWhole && letsMoreThrough(grant, changed);
  const raises = environment === 'production' && letsMore;
  const uncertified =
    save.error?.code === 'certification_required' || (raises && partner?.certified_at === null);
  const wantsApproval = (raises && !uncertified) || save.error?.code === 'approval_required';
  const approvalError =
    save.error?.code === 'approval_required'
      ? save.error.message
      : fieldError(save.error, 'approval_reference');
  const atFields =
    uncertified ||
    approvalError ||
    fieldError(save.error, 'expected_sales_volume') ||
    fieldError(save.error, 'requests_number') ||
    fieldError(save.error, 'seconds_number');

  return (
    <Dialog title={shortPath(grant.endpoint)} open onClose={onClose}>
      <Form
        submit={raises ? 'Raise limit' : 'Save'}
        busy={save.isPending}
        disabled={!isWhole || (raises && uncertified) || (wantsApproval && approval.trim() === '')}
        problem={atFields ? undefined : save.error}
        onSubmit={() => save.mutate()}
        onCancel={onClose}
      >
        <div className={toggleStyles.toggles}>
          <Toggle
            label="Active"
            checked={isActive}
            disabled={grant.endpoint.endsWith('/v3/overview/')}
            onChange={setActive}
          />
          <Toggle label="Debug mode available" checked={isDebug} onChange={setDebug} />
          <Toggle label="Limited" checked={isLimited} onChange={setLimited} />
        </div>
        <div className={fieldStyles.pair}>
          <TextField
            label="requests_number"
            error={fieldError(save.error, 'requests_number')}
            inputMode="numeric"
            value={requests}
            onChange={(text) => setRequests(text.trim())}
          />
          <TextField
            label="seconds_number"
            error={fieldError(save.error, 'seconds_number')}
            inputMode="numeric"
            value={seconds}
            onChange={(text) => setSeconds(text.trim())}
          />
        </div>
        <p className={fieldStyles.hint} aria-live="polite">
          {!isWhole
            ? 'Enter whole numbers from 1.'
            : isLimited
              ? `At most ${requests} requests in any ${windowOf(Number(seconds))}.`
              : 'Calls are not counted. The partner still sees these numbers.'}
        </p>
        {letsMore && <PeakNote keyId={apiKey.key_id} grant={grant} asked={changed} />}
        {isWhole && Number(seconds) > Number(requests) && (
          <Note>
            The specification says that <code>seconds_number</code> should not exceed{' '}
            <code>requests_number</code>; its own table does so as well, so this is allowed.
          </Note>
        )}
        {uncertified && (
          <Note kind="warn">
            This lets more through than now ({limitInWords(grant)}). Limits are raised only after
            certification is completed, and {partner?.name ?? 'the partner'} is not certified yet.{' '}
            <Link {...links.partner(apiKey.partner_id)}>Record its certification first</Link>.
          </Note>
        )}
        {wantsApproval && (
          <TextField
            label="Approval reference"
            error={approvalError}
            hint="Raising a limit needs a separate approval. Enter where it is documented; the audit records it."
            value={approval}
            maxLength={200}
            onChange={setApproval}
          />
        )}
        {wantsApproval && (
          <TextField
            label="Expected sales volume (optional)"
            error={fieldError(save.error, 'expected_sales_volume')}
            hint="What the approval is based on, such as 200 bookings a day. The audit records it."
            value={volume}
            maxLength={200}
            onChange={setVolume}
          />
        )}
      </Form>
    </Dialog>
  );
}
