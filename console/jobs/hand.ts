/** Plays a person at the console: counts the clicks and the keys, and types as fast as a person who types well. */
import type { Locator, Page } from 'playwright-core';

const KEY_MS = 30;

export class Hand {
  clicks = 0;
  keys = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
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
    if (!isFocused) await this.click(field);
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
