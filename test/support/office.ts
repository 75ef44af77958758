// A LibreOffice for the tests: the one that is there, or one that the machine can be given.
import { existsSync } from 'node:fs';
import { installWithout } from '../../scripts/peers/debian.ts';
import { findOffice } from '../../packages/studio/src/office/run-office.ts';

/** What each package brings, in the folder of the program. */
const PARTS = {
  'libreoffice-impress-nogui': 'libsdlo.so',
  'libreoffice-writer-nogui': 'libswlo.so',
  'libreoffice-calc-nogui': 'libsclo.so',
};
const FOLDER = '/usr/lib/libreoffice/program';

/** The path of a LibreOffice; null where there is none and none can be had. */
export async function officeForTests(): Promise<string | null> {
  if (findOffice() !== null) return findOffice();
  for (const [name, part] of Object.entries(PARTS)) {
    await installWithout(name, () => existsSync(`${FOLDER}/${part}`));
  }
  return findOffice();
}

/** What a test says of itself where it was left out. */
export const NO_OFFICE = 'LibreOffice is not installed and cannot be: set PAWL_LIBREOFFICE';
