/** The sealed header values of midoffices, for `bellhop reseal`. */
import {
  openHeader,
  sealedHeadersIn,
  sealedUnder,
  sealHeader,
  toStoredHeaders,
} from '../../delivery/webhook-headers.ts';
import { sealedMidofficeColumn } from './sealed-midoffice-column.ts';
import { isCurrent } from './sealed-rows.ts';

export const sealedHeaders = sealedMidofficeColumn('headers', (id, stored) => {
  const headers = [...sealedHeadersIn(stored)];
  return {
    name: `A header of midoffice ${id}`,
    values: headers.map(([name, sealed]) => ({ under: sealedUnder(id, name), sealed })),
    resealed(vault) {
      const resealed = headers.map(([name, sealed]): [string, string] => {
        if (isCurrent(vault, sealed)) return [name, sealed];
        return [name, sealHeader(vault, id, name, openHeader(vault, id, name, sealed))];
      });
      return toStoredHeaders(new Map(resealed));
    },
  };
});
