const MOST_TRIES = 2_000;

/** Removes parts of an input, large ones first, for as long as it still fails. */
export async function shorten(
  input: Buffer,
  fails: (input: Buffer) => Promise<boolean>,
): Promise<Buffer> {
  let shortest = input;
  let tries = 0;
  for (let size = input.length >> 1; size > 0; size >>= 1) {
    for (let from = 0; from < shortest.length && tries < MOST_TRIES; ) {
      tries++;
      const shorter = Buffer.concat([shortest.subarray(0, from), shortest.subarray(from + size)]);
      if (await fails(shorter)) shortest = shorter;
      else from += size;
    }
  }
  return shortest;
}
