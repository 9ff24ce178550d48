/** Whether someone has pressed a key or a button since the console was opened. */
let isActed = false;

for (const type of ['keydown', 'pointerdown']) {
  addEventListener(
    type,
    () => {
      isActed = true;
    },
    { capture: true, once: true },
  );
}

export function hasActed(): boolean {
  return isActed;
}
