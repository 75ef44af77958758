// The jobs of a small map service: what examples/testing/jobs.test.ts tests without any waiting.
import { z } from 'zod';
import { defineJob, fail } from 'pawl';

/** What the jobs reach outside; the tests hand in their own. */
export interface TileServer {
  draw(tile: number): Promise<string>;
  publish(tiles: readonly string[], idempotencyKey: string): Promise<void>;
  unpublish(idempotencyKey: string): Promise<void>;
}

/** Draws tiles one after the other, publishes them once, and keeps an index as an artifact. */
export function renderTiles(server: TileServer) {
  return defineJob('render-tiles', {
    input: z.object({ tiles: z.number().int().min(1).max(1_000) }),
    maxAttempts: 3,
    backoff: '1s',
    timeout: '10m',
    dlq: 'failed',
    stages: [
      { name: 'draw', min: 0, max: 80 },
      { name: 'publish', min: 80, max: 100 },
    ],
    async run({ input, stage, once, artifact, signal, log }) {
      const drawn = await stage(
        'draw',
        { from: [] as string[] },
        async ({ from, checkpoint, progress }) => {
          const tiles = [...from];
          while (tiles.length < input.tiles) {
            signal.throwIfAborted();
            tiles.push(await server.draw(tiles.length));
            await checkpoint(tiles);
            progress(tiles.length / input.tiles, `tile ${tiles.length} of ${input.tiles}`);
          }
          return tiles;
        },
      );
      await stage('publish', () =>
        once('publish', ({ idempotencyKey }) => server.publish(drawn, idempotencyKey)),
      );
      const index = await artifact('index.json', JSON.stringify(drawn), {
        contentType: 'application/json',
      });
      log(`${drawn.length} tiles, listed in ${index.name}`);
      return { tiles: drawn.length };
    },
    compensate: ({ input: { jobId, kept } }) =>
      'once:publish' in kept ? server.unpublish(`default/${jobId}/once:publish`) : null,
  });
}

/** Asks a slow service again and again, without holding a slot in between. */
export function awaitSurvey(isReady: () => boolean) {
  return defineJob('await-survey', {
    run: ({ snooze }) => (isReady() ? 'ready' : snooze('1m')),
  });
}

/** What goes wrong outside, in the platform's words: the class decides what is tried again. */
export const outage = fail('network_timeout', 'the tile server does not answer');
export const badMap = fail('invalid_document', 'the map has no projection');
