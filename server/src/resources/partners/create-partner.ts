import { newId } from '../../ids.ts';
import type { PartnerRow } from '../../store/schema.ts';
import type { EnvironmentData } from '../environment.ts';
import { Problem } from '../problem.ts';
import { type ShownPartner, showPartner } from './partners.ts';
import { insertPartner } from './queries.ts';

export interface NewPartner {
  name: string;
  integration_started_on: string;
  is_new: boolean;
}

export async function createPartner(
  environment: EnvironmentData,
  actor: string,
  input: NewPartner,
): Promise<ShownPartner> {
  if (environment.name === 'sandbox') checkOffer(environment, input);
  return environment.store.change(actor, async ({ db, now, audit }) => {
    const row: PartnerRow = {
      id: newId('par', now),
      name: input.name,
      integration_started_on: input.integration_started_on,
      is_new: input.is_new ? 1 : 0,
      suspended: 0,
      certified_at: null,
      certification_reference: null,
      midoffice_id: null,
      created_at: now,
    };
    await insertPartner(db, row);
    await audit('partner.create', row.id, null, showPartner(row));
    return showPartner(row);
  });
}

/** The sandbox is for new partners that start their integration while it is offered. */
function checkOffer({ sandboxOffer: { from, until } }: EnvironmentData, input: NewPartner): void {
  const startsInside =
    input.integration_started_on >= from && input.integration_started_on <= until;
  if (input.is_new && startsInside) return;
  throw new Problem(
    'sandbox_not_offered',
    `The sandbox is offered only to new partners whose integration starts from ${from} to ${until}.`,
  );
}
