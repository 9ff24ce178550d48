/** A change of one grant or several, as it is being entered: what it would do, what it needs, and saving it. */
import { letsMoreThrough } from '@bellhop/rules/raise';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../api/problem.ts';
import type { Grant, GrantInput, Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { numbersOf, typedLimit } from '../../widgets/LimitFields.tsx';
import { approvalError, approvalFields } from './Approval.tsx';
import { defaultOf, isSame } from './default-grant.ts';
import { saveGrants } from './save-grants.ts';

export interface GrantChange {
  keyId: string;
  partner: Partner | undefined;
  /** At least one. */
  grants: readonly [Grant, ...Grant[]];
  /** Begins with each endpoint's default. */
  toDefault: boolean;
  onSaved(): void;
}

export function useGrantChange({ keyId, partner, grants, toDefault, onSaved }: GrantChange) {
  const { call, environment } = useEnvironment();
  const [first] = grants;
  const isOne = grants.length === 1;
  const [to, setTo] = useState<'limit' | 'default'>(toDefault && !isOne ? 'default' : 'limit');
  const [given, setGiven] = useState(toDefault ? defaultOf(first) : first);
  const [limit, setLimit] = useState(typedLimit(given));
  const [approval, setApproval] = useState({ reference: '', volume: '' });
  const saving = useMutation({
    mutationFn: (bodies: GrantInput[]) => saveGrants(call, keyId, bodies),
    onSuccess: (refused) => {
      if (refused.length === 0) onSaved();
    },
  });

  const numbers = numbersOf(limit);
  const isReady = to === 'default' || numbers !== undefined;
  /** A grant as it is to be. Several keep whether they are active, and their debug mode. */
  function changedOf(grant: Grant): Grant {
    if (to === 'default') return defaultOf(grant);
    const { is_limited, is_active, is_debug_mode } = given;
    return { ...grant, is_limited, ...numbers, ...(isOne && { is_active, is_debug_mode }) };
  }

  const refused = saving.data ?? [];
  const problem = saving.error ?? refused[0]?.problem;
  const wasRefused = new Set(refused.map(({ endpoint }) => endpoint));
  /** What is still to be saved. */
  const left = grants
    .filter(({ endpoint }) => refused.length === 0 || wasRefused.has(endpoint))
    .filter((grant) => isOne || !isSame(grant, changedOf(grant)));
  const raised = isReady ? left.filter((grant) => letsMoreThrough(grant, changedOf(grant))) : [];
  /** Those that are a raise as well, over another window, need the approval first. */
  const lowered = isReady
    ? left.filter((grant) => letsMoreThrough(changedOf(grant), grant) && !raised.includes(grant))
    : [];
  const isSwitchedOff = isOne && first.is_active && !given.is_active;
  const raises = environment === 'production' && raised.length > 0;
  const isUncertified =
    problem?.code === 'certification_required' || (raises && partner?.certified_at === null);
  const needsApproval = (raises && !isUncertified) || problem?.code === 'approval_required';
  const errors = {
    calls: fieldError(problem, 'requests_number'),
    seconds: fieldError(problem, 'seconds_number'),
  };
  const isAtField = isUncertified || approvalError(problem) || errors.calls || errors.seconds;

  return {
    isOne,
    to,
    setTo,
    given,
    setGiven,
    limit,
    setLimit,
    approval,
    setApproval,
    isReady,
    changedOf,
    left,
    raised,
    raises,
    lowered,
    isSwitchedOff,
    isUncertified,
    needsApproval,
    errors,
    refused,
    problem,
    /** What no field shows. */
    otherProblem: isOne && !isAtField ? problem : saving.error,
    isSaving: saving.isPending,
    maySave:
      isReady &&
      left.length > 0 &&
      !(raises && isUncertified) &&
      !(needsApproval && approval.reference.trim() === ''),
    save: () =>
      saving.mutate(left.map((grant) => ({ ...changedOf(grant), ...approvalFields(approval) }))),
    /** Fills the fields in. */
    backToDefault() {
      setGiven(defaultOf(first));
      setLimit(typedLimit(defaultOf(first)));
    },
  };
}
