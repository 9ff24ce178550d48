import type { OwnKey } from '../../api/types.ts';

/** The label, which need not be the only one of its kind, with the id. */
export function keyName({ label, key_id }: Pick<OwnKey, 'label' | 'key_id'>): string {
  return label ? `${label} (${key_id})` : key_id;
}
