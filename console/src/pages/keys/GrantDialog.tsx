/**
 * Changes the grant of one endpoint, or the limits of several. Raising a limit in production needs a certified partner
 * and an approval, one for all of them.
 */
import { letsMoreThrough } from '@bellhop/rules/raise';
import { OVERVIEW, shortPath } from '../../../../server/src/base/catalogue.ts';
import type { Grant, Key, Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { Choices } from '../../ui/forms/Choices.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import toggleStyles from '../../ui/forms/Toggle.module.css';
import { Toggle } from '../../ui/forms/Toggle.tsx';
import { announce } from '../../ui/page/announce.ts';
import { LimitFields, numbersOf } from '../../widgets/LimitFields.tsx';
import { LimitTrial } from '../../widgets/LimitTrial.tsx';
import { limitInWords } from '../../widgets/limit-words.ts';
import { announceWithUndo, type Recorded } from '../../widgets/undo/undo.ts';
import { counted } from '../../words/en/counted.ts';
import { ApprovalFields, NotCertified } from './Approval.tsx';
import { Comparison } from './Comparison.tsx';
import { defaultOf, isDefault, isSame } from './default-grant.ts';
import { EffectsOfLowering } from './EffectsOfLowering.tsx';
import { NotSaved } from './NotSaved.tsx';
import { PeakNote } from './PeakNote.tsx';
import { useGrantChange } from './use-grant-change.ts';

interface Props {
  apiKey: Key;
  partner: Partner | undefined;
  /** At least one. */
  grants: readonly [Grant, ...Grant[]];
  /** Begins with each endpoint's default. */
  toDefault: boolean;
  onSaved(): void;
  onClose(): void;
}

export function GrantDialog({ apiKey, partner, grants, toDefault, onSaved, onClose }: Props) {
  const { environment, queries } = useEnvironment();
  const [first] = grants;
  const what = grants.length === 1 ? shortPath(first.endpoint) : counted(grants.length, 'endpoint');
  const change = useGrantChange({
    keyId: apiKey.key_id,
    partner,
    grants,
    toDefault,
    onSaved() {
      const changes = grants.filter((grant) => !isSame(grant, changedOf(grant)));
      const isLowered = changes.some((grant) => letsMoreThrough(changedOf(grant), grant));
      const isFinal = environment === 'production' && isLowered && !partner?.certified_at;
      if (changes.length === 0 || isFinal) announce(`Saved ${what}.`);
      else {
        announceWithUndo(`Saved ${what}.`, {
          action: 'key.grant',
          subject: apiKey.key_id,
          changes: changes.map(
            ({ endpoint }) =>
              ({ after }: Recorded) =>
                after?.endpoint === endpoint,
          ),
        });
      }
      onSaved();
      onClose();
    },
  });
  const { isOne, to, given, setGiven, left, raised, changedOf } = change;
  const of = partner ? `${partner.name}, key ${apiKey.key_id}` : `key ${apiKey.key_id}`;
  const limited = (
    <Toggle
      label="Limited"
      checked={given.is_limited}
      onChange={(is_limited) => setGiven({ ...given, is_limited })}
    />
  );
  return (
    <Dialog title={`${what} for ${of}`} open onClose={onClose}>
      <Form
        submit={submitWords()}
        busy={change.isSaving}
        disabled={!change.maySave}
        problem={change.otherProblem}
        onSubmit={change.save}
        onCancel={onClose}
      >
        {isOne ? (
          <div className={toggleStyles.toggles}>
            <Toggle
              label="Active"
              checked={given.is_active}
              disabled={first.endpoint === OVERVIEW}
              onChange={(is_active) => setGiven({ ...given, is_active })}
            />
            <Toggle
              label="Debug mode available"
              checked={given.is_debug_mode}
              onChange={(is_debug_mode) => setGiven({ ...given, is_debug_mode })}
            />
            {limited}
          </div>
        ) : (
          <Choices
            legend="Change them to"
            options={[
              { value: 'limit', label: 'One limit for all' },
              { value: 'default', label: "Each endpoint's default" },
            ]}
            value={to}
            onChange={change.setTo}
          />
        )}
        {!isOne && to === 'limit' && limited}
        {to === 'limit' && (
          <LimitFields
            value={change.limit}
            onChange={change.setLimit}
            isLimited={given.is_limited}
            errors={change.errors}
          />
        )}
        {isOne && !isDefault(changedOf(first)) && (
          <div>
            <Button onClick={change.backToDefault}>
              Back to default: {limitInWords(defaultOf(first))}
            </Button>
          </div>
        )}
        {isOne && given.is_limited && (
          <LimitTrial
            limit={numbersOf(change.limit)}
            sourceOf={(limit) =>
              queries.limitTrial(apiKey.key_id, { endpoint: first.endpoint, ...limit })
            }
          />
        )}
        {isOne && raised.length > 0 && (
          <PeakNote keyId={apiKey.key_id} grant={first} asked={changedOf(first)} />
        )}
        {!isOne && change.isReady && <Comparison grants={grants} changedOf={changedOf} />}
        {environment === 'production' && (change.lowered.length > 0 || change.isSwitchedOff) && (
          <EffectsOfLowering apiKey={apiKey} partner={partner} change={change} />
        )}
        {change.isUncertified && partner && (
          <NotCertified partner={partner}>
            {isOne
              ? `This lets more through than now (${limitInWords(first)}).`
              : `This lets more through than now at ${counted(raised.length, 'endpoint')}.`}
          </NotCertified>
        )}
        {change.needsApproval && (
          <ApprovalFields
            value={change.approval}
            onChange={change.setApproval}
            problem={change.problem}
          />
        )}
        {!isOne && change.refused.length > 0 && (
          <NotSaved refused={change.refused} of={grants.length} />
        )}
      </Form>
    </Dialog>
  );

  function submitWords(): string {
    if (isOne) return change.raises ? 'Raise limit' : 'Save';
    return left.length === 0 ? 'Nothing to change' : `Change ${counted(left.length, 'endpoint')}`;
  }
}
