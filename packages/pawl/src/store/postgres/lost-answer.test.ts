import assert from 'node:assert/strict';
import {
  AnswerProxy,
  errorMessage,
  type Farewell,
} from '../../../../../test/support/postgres/answer-proxy.ts';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';
import type { Scene } from '../../../test/store/suite/scene.ts';
import { StoreError } from '../store-error.ts';

/** How a connection can end in the moment of a commit: by whom, and what they say. */
const FAREWELLS: Readonly<Record<string, Farewell>> = {
  'the line is cut': null,
  'the server ends the session': errorMessage({
    S: 'FATAL',
    V: 'FATAL',
    C: '57P01',
    M: 'terminating connection due to administrator command',
  }),
  'the server ends the session in Russian': errorMessage({
    S: 'ВАЖНО',
    V: 'FATAL',
    C: '57P01',
    M: 'закрытие подключения по команде администратора',
  }),
  'the disk of the log fails, in Spanish': errorMessage({
    S: 'PÁNICO',
    V: 'PANIC',
    C: '58030',
    M: 'no se pudo sincronizar (fsync) el archivo',
  }),
  'PgBouncer lost its server': errorMessage({
    S: 'ERROR',
    C: '08P01',
    M: 'server conn crashed?',
  }),
  'a pooler lost its server': errorMessage({ S: 'ERROR', C: '58000', M: 'server is down' }),
};

/** A write, by the words of the statement that commits it, and how it is seen that it was done. */
interface Write {
  readonly words: string;
  /** Does it, and answers with what tells whether it is stored. */
  readonly begin: (scene: Scene) => Promise<{
    readonly write: Promise<unknown>;
    readonly isStored: () => Promise<boolean>;
  }>;
}

const WRITES: Readonly<Record<string, Write>> = {
  'a new job': {
    words: 'insert_many',
    begin: async (scene) => {
      const job = await scene.newJob();
      const isStored = async (): Promise<boolean> => (await scene.read(job)).id === job.id;
      return { write: scene.store.insert([job]), isStored };
    },
  },
  'new jobs and records in a transaction': {
    words: 'COMMIT',
    begin: async (scene) => {
      const job = await scene.newJob();
      const isStored = async (): Promise<boolean> => (await scene.read(job)).id === job.id;
      return { write: scene.store.insert([job], { with: [] }), isStored };
    },
  },
  'an end': {
    words: 'apply_moves',
    begin: async (scene) => {
      const job = await scene.running();
      const write = scene.store.apply([scene.move(job, { on: 'succeed' })]);
      return { write, isStored: async () => (await scene.read(job)).phase === 'succeeded' };
    },
  },
};

for (const [what, { words, begin }] of Object.entries(WRITES)) {
  await onEveryServer(
    `${what} whose commit's answer is lost has an unknown outcome, and is stored`,
    async (fixture) => {
      const proxy = await AnswerProxy.open(fixture.url);
      try {
        const store = await fixture.open({ url: proxy.url });
        const scene = fixture.scene(store);
        // What is learnt on the way is not what is lost.
        await scene.running();
        for (const [how, farewell] of Object.entries(FAREWELLS)) {
          const lost = proxy.loseNext(words, farewell);
          const { write, isStored } = await begin(scene);
          const error = await write.then(
            () => null,
            (one: unknown) => one,
          );
          await lost;
          assert.ok(error instanceof StoreError, `${how}: ${String(error)}`);
          assert.equal(error.outcome, 'unknown', `${how}: ${error.message}`);
          assert.ok(await isStored(), how);
        }
      } finally {
        proxy.close();
      }
    },
  );
}

await onEveryServer(
  'a claim of which nothing more can be read does not say that nothing was changed',
  async (fixture) => {
    const scene = fixture.scene(await fixture.open());
    const { id } = await scene.enqueue();
    const proxy = await AnswerProxy.open(fixture.url);
    try {
      const store = await fixture.open({ url: proxy.url });
      const lost = proxy.loseNext('number, tenant, queue, type', null);
      const claim = store.claim(scene.claimRequest());
      await assert.rejects(claim, { name: 'StoreError', outcome: 'unknown' });
      await lost;
      assert.equal((await scene.read({ id })).owner, 'w1');
    } finally {
      proxy.close();
    }
  },
);
