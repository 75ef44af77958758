import { importPeer } from '../../../scripts/peers/install.ts';
import type { Place, Product } from '../product.ts';
import { type BullClasses, openBull } from './bullmq-classes.ts';

interface Library {
  createPostgresBackend: unknown;
  withBackend(factory: unknown): BullClasses;
}

/** BullMQ on its PostgreSQL backend. */
export async function openBullmqPostgres(place: Place): Promise<Product> {
  const bullmq = await importPeer<Library>('bullmq');
  const { pool, ...settings } = place.settings;
  return openBull(bullmq.withBackend(bullmq.createPostgresBackend), { ...place, settings }, () => ({
    connectionString: place.url,
    max: pool ?? 10,
    migrate: true,
  }));
}
