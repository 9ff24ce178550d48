/**
 * The API keys that a key had before its last rotations and that still work, each until its own end.
 * The newest of them is in columns of `api_key`, as in releases that knew only one, so that their
 * partner API nodes keep working during an upgrade. The older ones are in `earlier_keys`, as JSON:
 * they are few, always read together with their key, and a sign-in must not cost a second look-up.
 */
export interface PreviousKey {
  digest: string;
  /** The API key, sealed by the vault. */
  sealed: string;
  untilMs: number;
}

/**
 * At a time. A body has room for one signature, so a receiver with the least likely of these keys is
 * served by the fifth attempt: five minutes after the first, on the default schedule.
 */
export const MOST_PREVIOUS_KEYS = 4;

export interface PreviousKeyColumns {
  previous_sealed_key: string | null;
  previous_digest: string | null;
  previous_until: number | null;
  earlier_keys: string | null;
}

/** The newest first; some may have ended since the last rotation. */
export function previousKeysOf(row: PreviousKeyColumns): PreviousKey[] {
  const { previous_digest: digest, previous_sealed_key: sealed, previous_until: untilMs } = row;
  const newest =
    digest !== null && sealed !== null && untilMs !== null ? [{ digest, sealed, untilMs }] : [];
  return [...newest, ...earlierKeysIn(row.earlier_keys)];
}

export function earlierKeysIn(json: string | null): PreviousKey[] {
  return json === null ? [] : (JSON.parse(json) as PreviousKey[]);
}

export function toPreviousKeyColumns([
  newest,
  ...earlier
]: readonly PreviousKey[]): PreviousKeyColumns {
  return {
    previous_sealed_key: newest?.sealed ?? null,
    previous_digest: newest?.digest ?? null,
    previous_until: newest?.untilMs ?? null,
    earlier_keys: earlier.length > 0 ? JSON.stringify(earlier) : null,
  };
}
