/** Listeners for changed keys and midoffices, within one thread. */
type Listener = (ids: readonly string[]) => void | Promise<void>;

export class Listeners {
  readonly #listeners = new Set<Listener>();

  subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  announce = async (ids: readonly string[]): Promise<void> => {
    await Promise.all([...this.#listeners].map((listener) => listener(ids)));
  };
}
