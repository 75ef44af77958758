import { join } from 'node:path';
import type { ArtifactStore } from '../artifact/artifact-store.ts';
import { openFolderArtifacts } from '../artifact/folder.ts';
import { openLinkKeys, parseLinkKeys } from '../artifact/link-keys.ts';
import { openS3Artifacts, type S3Options } from '../artifact/s3.ts';
import { systemClock } from '../core/clock.ts';
import { systemTimers } from '../core/timers.ts';
import { Artifacts } from '../engine/artifacts.ts';
import { inputsIn } from '../engine/by-reference.ts';
import type { EngineContext } from '../engine/context.ts';
import type { ArtifactSweep } from '../engine/sweeps/artifacts.ts';
import type { ArtifactServices } from '../http/artifact-view.ts';
import { ConfigurationError } from './configuration-error.ts';

/** Where artifacts are kept, and with which keys links to them are signed. */
export interface ArtifactSettings {
  /** A bucket instead of the folder: needed where servers do not share a disk. */
  readonly s3: S3Options | null;
  /** The same for all servers of a platform; null: a file beside the artifacts. */
  readonly linkKeys: string | null;
}

const S3_NEEDED = {
  endpoint: 'PAWL_S3_ENDPOINT',
  accessKeyId: 'PAWL_S3_ACCESS_KEY_ID',
  secretAccessKey: 'PAWL_S3_SECRET_ACCESS_KEY',
} as const;

export function readArtifactSettings(env: NodeJS.ProcessEnv): ArtifactSettings {
  return { s3: readS3(env), linkKeys: env['PAWL_LINK_KEYS'] ?? null };
}

function readS3(env: NodeJS.ProcessEnv): S3Options | null {
  const names = Object.values(S3_NEEDED);
  if (names.every((name) => env[name] === undefined)) return null;
  const missing = names.find((name) => (env[name] ?? '') === '');
  if (missing !== undefined) {
    throw new ConfigurationError(
      missing,
      `is needed for artifacts in S3, as are ${names.join(', ')}`,
    );
  }
  const { PAWL_S3_REGION: region, PAWL_S3_PREFIX: prefix } = env;
  return {
    endpoint: env[S3_NEEDED.endpoint]!,
    accessKeyId: env[S3_NEEDED.accessKeyId]!,
    secretAccessKey: env[S3_NEEDED.secretAccessKey]!,
    ...(region === undefined ? {} : { region }),
    ...(prefix === undefined ? {} : { prefix }),
  };
}

/** The artifacts of a platform: for its API, and the duty that keeps them clean. */
export interface PlatformArtifacts {
  readonly services: ArtifactServices;
  readonly sweep: ArtifactSweep;
}

/** Opens what the settings say, in a folder of the platform's data unless told otherwise. */
export async function openArtifacts(
  context: EngineContext,
  dataFolder: string,
  { s3, linkKeys }: ArtifactSettings,
): Promise<PlatformArtifacts> {
  const folder = join(dataFolder, 'artifacts');
  const files: ArtifactStore =
    s3 === null ? await openFolderArtifacts({ folder }) : await openS3Artifacts(s3);
  const keys =
    linkKeys === null
      ? await openLinkKeys(join(dataFolder, 'link-keys.json'))
      : parseLinkKeys(linkKeys);
  const access = new Artifacts(context, { files });
  context.largeInputs.use(inputsIn(access));
  const sweep = access.sweep({ timers: systemTimers });
  return { services: { access, keys, clock: systemClock }, sweep };
}
