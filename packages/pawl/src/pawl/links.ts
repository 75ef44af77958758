import { join } from 'node:path';
import { openLinkKeys, parseLinkKeys } from '../artifact/link-keys.ts';
import type { Fault } from '../core/errors.ts';
import type { LinkSigning } from '../engine/flows/message-link.ts';

export interface LinkSettings {
  /** Where people reach the server of this Pawl, such as https://jobs.example.org: for links. */
  readonly publicUrl?: string;
  /**
   * Signs message links, as `PAWL_LINK_KEYS` of the server has it: the same for all processes; by
   * default what a file beside the database holds.
   */
  readonly linkKeys?: string;
}

/** An address as it stands before paths, without a slash at its end; null where it is none. */
export function publicUrlOf(text: string): string | null {
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  return isUrl && !/[?#]/.test(text) ? text.replace(/\/+$/, '') : null;
}

export function checkPublicUrl({ publicUrl }: LinkSettings): Fault[] {
  if (publicUrl === undefined || publicUrlOf(publicUrl) !== null) return [];
  const message = `is "${publicUrl}": give an address such as https://jobs.example.org`;
  return [{ pointer: '/publicUrl', message }];
}

/** Programs that nobody reaches make no links, and no file for keys. */
export async function openLinks(
  { publicUrl, linkKeys }: LinkSettings,
  folder: string,
): Promise<LinkSigning | null> {
  if (publicUrl === undefined) return null;
  const keys =
    linkKeys === undefined
      ? await openLinkKeys(join(folder, 'link-keys.json'))
      : parseLinkKeys(linkKeys);
  return { publicUrl: publicUrlOf(publicUrl), keys };
}
