/**
 * Whether a person is at the page. A page left open goes on asking, and says so, so that asking alone
 * does not keep its session alive for ever.
 */
const ALONE_AFTER_MS = 60_000;

let touchedAt = Date.now();

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart']) {
  addEventListener(event, () => (touchedAt = Date.now()), { passive: true, capture: true });
}

export function isLeftAlone(): boolean {
  return Date.now() - touchedAt > ALONE_AFTER_MS;
}
