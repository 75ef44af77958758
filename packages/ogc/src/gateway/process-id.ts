import { createHash } from 'node:crypto';

/** A process of a provider. */
export interface RemoteProcess {
  readonly provider: string;
  /** As the provider calls it. */
  readonly process: string;
}

/** Stands before the types of all jobs of this gateway. */
const TYPE_PREFIX = 'ogc/';
const TYPE = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

/** The id of a provider's process here. */
export function processIdOf({ provider, process }: RemoteProcess): string {
  return `${provider}:${process}`;
}

/** Splits at the first colon only: ids of processes have colons of their own. */
export function remoteProcessOf(id: string): RemoteProcess | null {
  const at = id.indexOf(':');
  if (at <= 0 || at === id.length - 1) return null;
  return { provider: id.slice(0, at), process: id.slice(at + 1) };
}

/** The type of a process's jobs. An id that cannot be a type's name is told by its hash. */
export function typeOf(remote: RemoteProcess): string {
  const type = TYPE_PREFIX + processIdOf(remote);
  if (TYPE.test(type)) return type;
  const hash = createHash('sha256').update(remote.process).digest('hex').slice(0, 40);
  return `${TYPE_PREFIX}${remote.provider}/${hash}`;
}

export function isGatewayType(type: string): boolean {
  return providerOfType(type) !== null;
}

/** Whose type it is, or null where it is not the gateway's. */
export function providerOfType(type: string): string | null {
  if (!type.startsWith(TYPE_PREFIX)) return null;
  return /^([A-Za-z0-9][A-Za-z0-9._-]*)[:/]./.exec(type.slice(TYPE_PREFIX.length))?.[1] ?? null;
}
