import { sealedHeaders } from './sealed-headers.ts';
import { sealedPrivateKeys } from './sealed-private-keys.ts';
import { sealedKeys } from './sealed-rows.ts';
import type { SealedTable } from './sealed-tables.ts';

/** Everything of an environment that a master key seals. */
export const allSealed: readonly SealedTable[] = [sealedKeys, sealedHeaders, sealedPrivateKeys];
