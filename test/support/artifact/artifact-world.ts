// A world with a folder of artifacts beside its store.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ArtifactStore, Content } from '../../../src/artifact/artifact-store.ts';
import { openFolderArtifacts } from '../../../src/artifact/folder.ts';
import { type ArtifactLimits, Artifacts } from '../../../src/engine/artifacts.ts';
import type { ArtifactSweep } from '../../../src/engine/sweeps/artifacts.ts';
import { openWorld, type World, type WorldOptions } from '../world.ts';

export interface ArtifactWorld {
  readonly world: World;
  readonly access: Artifacts;
  readonly files: ArtifactStore;
  readonly folder: string;
  readonly sweep: ArtifactSweep;
  /** Every file of the folder, finished or not, as it is on disk. */
  readonly onDisk: () => string[];
  /** Makes all files as old as they would be after so long. */
  readonly age: (ms: number) => void;
}

/** Closed and removed with the test. */
export async function openArtifactWorld(
  context: TestContext,
  options: WorldOptions & { limits?: Partial<ArtifactLimits> } = {},
): Promise<ArtifactWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-artifacts-'));
  const world = await openWorld(options);
  const files = await openFolderArtifacts({ folder });
  const limits = options.limits ?? {};
  const access = new Artifacts(world.context, { files, limits });
  const timers = { sleep: async () => undefined };
  const sweep = access.sweep({ timers, graceMs: 1_000 });
  context.after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const paths = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const onDisk = (): string[] =>
    paths()
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, 'latin1'));
  const age = (ms: number): void => {
    const seconds = (world.clock.now() - ms) / 1000;
    for (const path of paths()) utimesSync(path, seconds, seconds);
  };
  return { world, access, files, folder, sweep, onDisk, age };
}

export async function* contentOf(...chunks: readonly string[]): Content {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

export async function textOf(content: Content): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export function textArtifact(
  name: string,
  content: Content = contentOf('hello'),
): { name: string; contentType: string; content: Content } {
  return { name, contentType: 'text/plain', content };
}
