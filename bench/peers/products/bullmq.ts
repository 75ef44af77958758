import { importPeer } from '../../../scripts/peers/install.ts';
import type { Place, Product } from '../product.ts';
import { type BullClasses, openBull } from './bullmq-classes.ts';

/** BullMQ on Redis. */
export async function openBullmq(place: Place): Promise<Product> {
  const library = await importPeer<BullClasses>('bullmq');
  const { hostname, port } = new URL(place.url);
  return openBull(library, place, () => ({ host: hostname, port: Number(port) }));
}
