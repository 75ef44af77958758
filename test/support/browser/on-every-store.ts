// One suite of pages, run against a server on every kind of store.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openFixture, type Fixture } from './fixture.ts';
import { fixtureStores } from './fixture-stores.ts';

/** A room for the whole suite, and in it a page for each test. */
export class Scene {
  #fixture: Fixture | null = null;
  #page: Page | null = null;

  get fixture(): Fixture {
    return this.#fixture!;
  }

  get page(): Page {
    return this.#page!;
  }

  async open(env: NodeJS.ProcessEnv): Promise<void> {
    this.#fixture = await openFixture(env);
  }

  async close(): Promise<void> {
    await this.fixture.close();
  }

  async enter(options: BrowserContextOptions = {}): Promise<void> {
    this.#page = await this.fixture.look('', options);
  }

  async leave(): Promise<void> {
    await this.page.context().close();
    assert.deepEqual(this.fixture.complaints, []);
  }

  /** Goes to a place of the dashboard: `jobs?phase=failed`. */
  async visit(place: string): Promise<void> {
    await this.page.goto(`${this.fixture.url}/#/${place}`);
  }

  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
  }
}

/** Registers the suite once for each store; the server and the browser are shared by its tests. */
async function describeOnEveryStore(
  title: string,
  suite: (scene: Scene) => void,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  for (const store of await fixtureStores()) {
    void describe(`${title} (${store.label})`, () => {
      const scene = new Scene();
      before(() => scene.open({ ...env, ...store.env }));
      after(() => scene.close());
      beforeEach(() => scene.enter());
      afterEach(() => scene.leave());
      suite(scene);
    });
  }
}

export const onEveryStore = { describe: describeOnEveryStore } as const;
