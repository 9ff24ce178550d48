import { newId } from '../../ids.ts';
import type { MidofficeRow } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findUnrevokedKey } from '../keys/keys.ts';
import type { MidofficeHealth } from './health.ts';
import {
  type bodyForms,
  checkedUrl,
  DEFAULT_IN_FLIGHT,
  type deliveryOrders,
  type ShownMidoffice,
  showMidoffice,
} from './midoffices.ts';
import { insertMidoffice } from './queries.ts';

export interface NewMidoffice {
  name: string;
  url: string;
  signing_key_id: string;
  body_form?: (typeof bodyForms)[number];
  delivery_order?: (typeof deliveryOrders)[number];
  max_in_flight?: number;
}

export async function createMidoffice(
  environment: SupportEnvironment,
  actor: string,
  input: NewMidoffice,
): Promise<ShownMidoffice & { health: MidofficeHealth }> {
  // Outside the transaction, because it waits for name servers.
  const url = await checkedUrl(environment, input.url);
  return environment.store.change(actor, async ({ db, now, audit, invalidate }) => {
    await findUnrevokedKey(db, input.signing_key_id);
    const row: MidofficeRow = {
      id: newId('mid', now),
      name: input.name,
      url,
      signing_key_id: input.signing_key_id,
      body_form: input.body_form ?? 'data',
      delivery_order: input.delivery_order ?? 'any',
      max_in_flight: input.max_in_flight ?? DEFAULT_IN_FLIGHT,
      paused: 0,
      failing_since: null,
      alerted_at: null,
      worked_key: null,
      alert_claimed_at: null,
      created_at: now,
    };
    await insertMidoffice(db, row);
    await invalidate([row.id]);
    await audit('midoffice.create', row.id, null, showMidoffice(row));
    return { ...showMidoffice(row), health: 'untested' };
  });
}
