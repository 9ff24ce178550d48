import type { Desk } from '../environment.ts';
import { findPartner, type ShownPartner, showPartner } from './partners.ts';

export async function getPartner(desk: Desk, id: string): Promise<ShownPartner> {
  return showPartner(await findPartner(desk.store.db, id));
}
