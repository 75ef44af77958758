/** The folders of the packages that users install, each after those that it needs. */
export const publicPackages: readonly string[] = [
  'pawl',
  'server',
  'ogc',
  'studio',
  'move',
  'create-pawl',
];
