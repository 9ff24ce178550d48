/** The sandbox is for new partners that start their integration while it is offered. */
import type { Static } from 'typebox';
import type { EnvironmentData } from '../environment.ts';
import { reply } from '../forms.ts';
import { Problem } from '../problem.ts';
import { Type } from '../type.ts';
import type { NewPartner } from './partner.ts';

const day = Type.String({ format: 'date' });

export const SandboxOffer = reply('SandboxOffer', { from: day, until: day });

type Offering = Pick<EnvironmentData, 'name' | 'sandboxOffer'>;

export function getSandboxOffer({ name, sandboxOffer }: Offering): Static<typeof SandboxOffer> {
  if (name !== 'sandbox') throw new Problem('sandbox_only');
  return sandboxOffer;
}

export function checkOffer(
  { sandboxOffer: { from, until } }: Offering,
  { is_new, integration_started_on: start }: NewPartner,
): void {
  if (is_new && start >= from && start <= until) return;
  throw new Problem(
    'sandbox_not_offered',
    `The sandbox is offered only to new partners whose integration starts from ${from} to ${until}.`,
  );
}
