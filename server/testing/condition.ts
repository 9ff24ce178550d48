/** Lets a test wait for a condition without polling: it is checked whenever something has happened. */
export class Condition {
  readonly #waiting = new Set<() => void>();

  look(): void {
    for (const check of [...this.#waiting]) check();
  }

  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!holds()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }
}
