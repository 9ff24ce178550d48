import type { CallStore, RecordedCall } from '../../gateway/recorded-calls/recorded-call.ts';
import { callColumnNames, mostOf, Trimming, trimSql } from '../recorded-calls.ts';
import type { Writer } from './writing.ts';

/** As with the usage history, a power cut may lose the last seconds. */
export function sqliteRecordedCalls(writer: Writer): CallStore {
  const { connection } = writer;
  const values = callColumnNames.map((column) => `:${column}`);
  const insert = connection.prepare(`
    insert into recorded_call (${callColumnNames.join(', ')}) values (${values.join(', ')})
    on conflict (request_id) do nothing`);
  const trim = connection.prepare(trimSql((n) => `?${n}`));
  const trimming = new Trimming();
  return {
    async add(calls) {
      await writer.unsynced(() => {
        for (const call of calls) insert.run(parametersOf(call));
        for (const owner of trimming.dueAfter(calls)) {
          trim.run(owner.key_id, owner.signed_in, mostOf(owner));
        }
      });
    },
  };
}

function parametersOf(call: RecordedCall): Record<string, string | number | null> {
  return { ...call };
}
