import { fail, isJobFailure } from 'pawl/define';

/** Loads a package that an installation may have left out, when it is first needed. */
export async function optionalPackage<Module>(
  name: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (isJobFailure(error)) throw error;
    const message = `the optional package "${name}" could not be loaded: run npm install ${name}`;
    throw fail('configuration_error', message, { code: 'PACKAGE_MISSING', cause: error });
  }
}
