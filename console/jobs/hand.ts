/**
 * Plays a person at the console: counts the clicks and the keys, and types as fast as a person who types well. Without a
 * mouse, every click is a walk with Tab to what would be clicked.
 */
import type { Locator, Page } from 'playwright-core';

const KEY_MS = 30;
/** More than any page has stops. */
const MOST_STOPS = 600;
export class Hand {
  clicks = 0;
  keys = 0;
  readonly page: Page;
  readonly hasMouse: boolean;

  constructor(page: Page, { hasMouse = true } = {}) {
    this.page = page;
    this.hasMouse = hasMouse;
  }

  async click(target: Locator): Promise<void> {
    if (!this.hasMouse) return this.#operate(target);
    this.clicks++;
    await target.click();
  }

  async #operate(target: Locator): Promise<void> {
    await this.#walkTo(target);
    const type = await target.getAttribute('type');
    if (type !== 'radio') return this.press(type === 'checkbox' ? 'Space' : 'Enter');
    while (!(await target.isChecked())) await this.press('ArrowDown');
  }

  async #walkTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let stop = 0; stop < MOST_STOPS; stop++) {
      if (await isReached(target)) return;
      this.keys++;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not lead to ${target}.`);
  }

  async press(key: string): Promise<void> {
    this.keys++;
    await this.page.keyboard.press(key, { delay: KEY_MS });
  }

  async type(text: string): Promise<void> {
    this.keys += text.length;
    await this.page.keyboard.type(text, { delay: KEY_MS });
  }

  /** Replaces what the field says. Without a click if the page has put the cursor there already. */
  async fill(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    const isFocused = await field.evaluate((element) => element.matches(':focus'));
    if (!isFocused) await (this.hasMouse ? this.click(field) : this.#walkTo(field));
    if ((await field.inputValue()) !== '') await this.press('ControlOrMeta+a');
    await this.type(text);
  }

  async clickButton(name: string | RegExp): Promise<void> {
    await this.click(this.page.getByRole('button', { name, exact: true }).first());
  }

  /** Opens what the search box finds first. */
  async search(text: string): Promise<void> {
    await this.press('/');
    await this.type(text);
    await this.press('Enter');
  }
}

/** Of a group of radio buttons, Tab leads to the chosen one only. */
function isReached(target: Locator): Promise<boolean> {
  return target.evaluate(
    (wanted) =>
      wanted.matches(':focus') ||
      (wanted.matches('[type=radio]') && wanted.closest('fieldset:focus-within') !== null),
  );
}
