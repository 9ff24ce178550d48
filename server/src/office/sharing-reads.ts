/**
 * Reads that many ask for at once. Those who ask while a read of the same key is under way share the next one.
 * Nobody gets a result that was read before they asked, so a change that is stored is seen at once.
 */
interface Reads<Result> {
  running: Promise<Result>;
  next: Promise<Result> | undefined;
}

export function sharingReads<Key, Result>(
  read: (key: Key) => Promise<Result>,
): (key: Key) => Promise<Result> {
  const byKey = new Map<Key, Reads<Result>>();

  function run(key: Key): Promise<Result> {
    const running = read(key);
    const reads: Reads<Result> = { running, next: undefined };
    byKey.set(key, reads);
    const end = () => {
      if (!reads.next && byKey.get(key) === reads) byKey.delete(key);
    };
    running.then(end, end);
    return running;
  }

  return (key) => {
    const reads = byKey.get(key);
    if (!reads) return run(key);
    const again = () => run(key);
    reads.next ??= reads.running.then(again, again);
    return reads.next;
  };
}
