/** What has workers and a database of its own must stay a package, outside of any bundle. */
const config: { serverExternalPackages: string[]; skipTrailingSlashRedirect: boolean } = {
  serverExternalPackages: ['pawl', '@pawl/server'],
  // The dashboard is at /admin/jobs/, with the slash: its own addresses are relative to it.
  skipTrailingSlashRedirect: true,
};

// oxlint-disable-next-line import/no-default-export -- Next wants it so
export default config;
