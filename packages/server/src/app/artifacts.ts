import { join } from 'node:path';
import type { ArtifactStore } from 'pawl/internal/artifact/artifact-store';
import { openFolderArtifacts } from 'pawl/internal/artifact/folder';
import { openLinkKeys, parseLinkKeys } from 'pawl/internal/artifact/link-keys';
import type { LinkKey } from 'pawl/internal/artifact/link';
import { openS3Artifacts, type S3Options } from 'pawl/internal/artifact/s3';
import { ConfigurationError } from 'pawl/internal/settings/configuration-error';

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

/** Where the artifacts of a platform lie, and the keys that sign links to them. */
export async function openArtifacts(
  dataFolder: string,
  { s3, linkKeys }: ArtifactSettings,
): Promise<{ readonly files: ArtifactStore; readonly keys: readonly LinkKey[] }> {
  const folder = join(dataFolder, 'artifacts');
  const files = s3 === null ? await openFolderArtifacts({ folder }) : await openS3Artifacts(s3);
  if (linkKeys !== null) return { files, keys: parseLinkKeys(linkKeys) };
  return { files, keys: await openLinkKeys(join(dataFolder, 'link-keys.json')) };
}
