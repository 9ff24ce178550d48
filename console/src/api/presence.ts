/**
 * Whether a person is using the page. A page left open keeps polling, and marks those calls, so that
 * polling alone does not keep its session alive.
 */
const ALONE_AFTER_MS = 60_000;

let touchedAt = Date.now();

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart']) {
  addEventListener(event, () => (touchedAt = Date.now()), { passive: true, capture: true });
}

export function isLeftAlone(): boolean {
  return Date.now() - touchedAt > ALONE_AFTER_MS;
}
