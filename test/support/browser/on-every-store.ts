// One suite of pages, run against a server on one kind of store or on every kind.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openFixture, type Fixture } from './fixture.ts';
import { type FixtureStore, fixtureStores, SQLITE } from './fixture-stores.ts';

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

/** The server and the browser are shared by the tests of a suite. */
function describeOn(
  { label, env: ofStore }: FixtureStore,
  title: string,
  suite: (scene: Scene) => void,
  env: NodeJS.ProcessEnv = {},
): void {
  void describe(`${title} (${label})`, () => {
    const scene = new Scene();
    before(() => scene.open({ ...env, ...ofStore }));
    after(() => scene.close());
    beforeEach(() => scene.enter());
    afterEach(() => scene.leave());
    suite(scene);
  });
}

type Suite = [title: string, suite: (scene: Scene) => void, env?: NodeJS.ProcessEnv];

/** For pages whose content the store finds, counts or orders. */
export const onEveryStore = {
  describe: async (...suite: Suite): Promise<void> => {
    for (const store of await fixtureStores()) describeOn(store, ...suite);
  },
} as const;

/** For what the page alone decides: the API answers alike, whatever store is behind it. */
export const onOneStore = {
  describe: (...suite: Suite): void => describeOn(SQLITE, ...suite),
} as const;
