import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PawlError } from '../core/errors.ts';

/** A release that is installed somewhere: its version and its modules. */
export interface Release {
  readonly version: string;
  readonly library: string;
  readonly client: string;
  /** The command line, as a file. */
  readonly command: string;
  /** Whether `pawl start` is there. */
  readonly hasServer: boolean;
}

const OWN_EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/** A file beside this one, in the sources as in the package. */
export function ownFile(name: string): URL {
  return new URL(`${name}.${OWN_EXTENSION}`, import.meta.url);
}

/** The one that a project in a folder has installed. */
export function releaseIn(folder: string): Release {
  const { resolve: find } = createRequire(join(resolve(folder), 'package.json'));
  const locate = (name: string): string | null => {
    try {
      return find(name);
    } catch {
      return null;
    }
  };
  const description = locate('pawl/package.json');
  if (description === null) {
    throw new PawlError(
      'VALIDATION_ERROR',
      `no release of Pawl is installed in ${folder}: name a project that has one`,
    );
  }
  const { version, bin } = JSON.parse(readFileSync(description, 'utf8')) as {
    version: string;
    bin: { pawl: string };
  };
  const library = find('pawl');
  const command = join(dirname(description), bin.pawl);
  return {
    version,
    library: pathToFileURL(library).href,
    client: pathToFileURL(find('pawl/client')).href,
    // A checkout has no build: there the sources are the command.
    command: library.endsWith('.ts') ? join(dirname(library), 'cli/main.ts') : command,
    hasServer: locate('@pawl/server/package.json') !== null,
  };
}

/** The one that this code is. */
export function ownRelease(): Release {
  return releaseIn(dirname(ownFile('release').pathname));
}
