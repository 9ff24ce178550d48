/** Lanes by the time of their next look: a binary heap, so idle lanes cost nothing. */
import type { Lane } from './lane.ts';

interface Entry {
  atMs: number;
  lane: Lane;
}

export class WakeTimes {
  readonly #heap: Entry[] = [];

  get soonestMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  add(lane: Lane, atMs: number): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push({ atMs, lane });
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((heap[parent] as Entry).atMs <= atMs) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** Removes and returns the entries that are due. */
  *takeDue(nowMs: number): Generator<Entry> {
    while (this.soonestMs <= nowMs) yield this.#takeFirst();
  }

  #takeFirst(): Entry {
    const heap = this.#heap;
    const first = heap[0] as Entry;
    const last = heap.pop() as Entry;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return first;
  }

  #sink(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        const entry = heap[child];
        if (entry && entry.atMs < (heap[least] as Entry).atMs) least = child;
      }
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b] as Entry, heap[a] as Entry];
  }
}
