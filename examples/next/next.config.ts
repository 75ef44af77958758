/** What has workers and a database of its own must stay a package, outside of any bundle. */
const config: { serverExternalPackages: string[] } = { serverExternalPackages: ['pawl'] };

// oxlint-disable-next-line import/no-default-export -- Next wants it so
export default config;
