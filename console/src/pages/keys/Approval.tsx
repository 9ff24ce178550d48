/** What raising a limit in production needs: a certified partner, and an approval that the audit keeps. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { fieldError, type Problem } from '../../api/problem.ts';
import type { Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Note } from '../../ui/page/Note.tsx';

export interface Approval {
  reference: string;
  volume: string;
}

/** As the API takes it. */
export function approvalFields({ reference, volume }: Approval) {
  return {
    ...(reference.trim() && { approval_reference: reference.trim() }),
    ...(volume.trim() && { expected_sales_volume: volume.trim() }),
  };
}

/** What is wrong with the approval, if a refusal is about it. */
export function approvalError(problem: Problem | null | undefined): string | undefined {
  if (problem?.code === 'approval_required') return problem.message;
  return fieldError(problem, 'approval_reference') ?? fieldError(problem, 'expected_sales_volume');
}

interface Props {
  value: Approval;
  onChange(value: Approval): void;
  problem: Problem | null | undefined;
}

export function ApprovalFields({ value, onChange, problem }: Props) {
  return (
    <>
      <ReferenceField
        value={value.reference}
        onChange={(reference) => onChange({ ...value, reference })}
        problem={problem}
      />
      <TextField
        label="Expected sales volume (optional)"
        hint="What the approval is based on, such as 200 bookings a day. The audit records it."
        value={value.volume}
        maxLength={200}
        onChange={(volume) => onChange({ ...value, volume })}
      />
    </>
  );
}

interface ReferenceProps {
  value: string;
  onChange(value: string): void;
  problem: Problem | null | undefined;
}

export function ReferenceField({ value, onChange, problem }: ReferenceProps) {
  return (
    <TextField
      label="Approval reference"
      error={approvalError(problem)}
      hint="Raising a limit needs a separate approval. Enter where it is documented; the audit records it."
      value={value}
      maxLength={200}
      onChange={onChange}
    />
  );
}

export function NotCertified({ partner, children }: { partner: Partner; children: ReactNode }) {
  const { links } = useEnvironment();
  return (
    <Note kind="warn">
      {children} Limits are raised only after certification is completed, and {partner.name} is not
      certified yet. <Link {...links.partner(partner.id)}>Record its certification first</Link>.
    </Note>
  );
}
