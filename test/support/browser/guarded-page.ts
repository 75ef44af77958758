import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

const PLANTED = [
  'img[src="x"]',
  '#planted',
  '[onload], [onerror], [ontoggle], [onfocus], [onbegin]',
  'a[href^="javascript" i], a[href^="data:" i]',
  'main script, main style:not(svg style), iframe, object, embed, base, meta[http-equiv]',
].join(', ');

/** Watches a page for anything that was not its own: scripts, dialogs, requests, elements. */
export class Guard {
  readonly #page: Page;
  readonly #host: string;
  readonly #seen: string[] = [];

  constructor(page: Page, url: string) {
    this.#page = page;
    this.#host = new URL(url).host;
    page.on('dialog', (dialog) => {
      this.#seen.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const address = request.url();
      const isOwn = address.startsWith('data:') || new URL(address).host === this.#host;
      if (!isOwn) this.#seen.push(`a request to ${address}`);
    });
  }

  /** Before the page is opened, so that nothing can run earlier. */
  async listen(): Promise<void> {
    const listener = `globalThis.refused = [];
      addEventListener('securitypolicyviolation', (event) =>
        globalThis.refused.push(event.violatedDirective + ' ' + event.blockedURI));`;
    await this.#page.addInitScript(listener);
  }

  /** Nothing ran, nothing was so much as tried, and no text became a part of the page. */
  async assertHarmless(where: string): Promise<void> {
    const ran = await this.#page.evaluate(`'isBroken' in globalThis ? ['a script ran'] : []`);
    const refused = await this.#page.evaluate('globalThis.refused ?? []');
    const planted = await this.#page.locator(PLANTED).evaluateAll((found) => found.map(String));
    assert.deepEqual({ ran, refused, planted, seen: this.#seen }, NOTHING, where);
  }
}

const NOTHING = { ran: [], refused: [], planted: [], seen: [] };
