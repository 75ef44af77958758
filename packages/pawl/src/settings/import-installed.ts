/** The module of a package of ours; null where that package is not installed. */
export async function importInstalled<Module>(specifier: string): Promise<Module | null> {
  const [scope = '', name = ''] = specifier.split('/');
  try {
    return (await import(specifier)) as Module;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = message.startsWith(`Cannot find package '${scope}/${name}'`);
    if (code === 'ERR_MODULE_NOT_FOUND' && isMissing) return null;
    throw error;
  }
}
