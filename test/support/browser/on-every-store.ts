// One suite of pages, run against a server on every kind of store.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openRoom, type Room } from './room.ts';
import { roomStores } from './room-stores.ts';

/** A room for the whole suite, and in it a page for each test. */
export class Scene {
  #room: Room | null = null;
  #page: Page | null = null;

  get room(): Room {
    return this.#room!;
  }

  get page(): Page {
    return this.#page!;
  }

  async open(env: NodeJS.ProcessEnv): Promise<void> {
    this.#room = await openRoom(env);
  }

  async close(): Promise<void> {
    await this.room.close();
  }

  async enter(options: BrowserContextOptions = {}): Promise<void> {
    this.#page = await this.room.look('', options);
  }

  async leave(): Promise<void> {
    await this.page.context().close();
    assert.deepEqual(this.room.complaints, []);
  }

  /** Goes to a place of the dashboard: `jobs?phase=failed`. */
  async visit(place: string): Promise<void> {
    await this.page.goto(`${this.room.url}/#/${place}`);
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
  for (const store of await roomStores()) {
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
