import { join } from 'node:path';
import { openLinkKeys, parseLinkKeys } from 'pawl/internal/artifact/link-keys';
import type { PluginSecrets } from 'pawl/internal/plugin/host';
import { ConfigurationError } from 'pawl/internal/settings/configuration-error';
import { SecretBox, type SealingKey } from '../webhooks/secret-box.ts';

/** How secrets are kept. */
export interface SecretSettings {
  /** The same for all processes of a platform; null: a file of the data folder. */
  readonly keys: readonly SealingKey[] | null;
}

export function readSecretSettings(env: NodeJS.ProcessEnv): SecretSettings {
  const text = env['PAWL_SECRET_KEYS'] ?? '';
  if (text === '') return { keys: null };
  try {
    return { keys: parseLinkKeys(text) };
  } catch {
    const form = '[{"id": "a", "secret": "<32 bytes or more in base64url>"}], the newest first';
    throw new ConfigurationError('PAWL_SECRET_KEYS', `cannot be read: give ${form}`);
  }
}

/** Encrypts secrets before they are stored. */
export async function openSecrets({
  secrets,
  dataFolder,
}: {
  readonly secrets: SecretSettings;
  readonly dataFolder: string;
}): Promise<PluginSecrets> {
  return new SecretBox(secrets.keys ?? (await openLinkKeys(join(dataFolder, 'secret-keys.json'))));
}
