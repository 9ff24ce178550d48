import type { SupportEnvironment } from '../environment.ts';
import { findPartner, type ShownPartner, showPartner } from './partners.ts';

export async function getPartner({ store }: SupportEnvironment, id: string): Promise<ShownPartner> {
  return showPartner(await findPartner(store.db, id));
}
