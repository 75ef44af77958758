// Who is where: the addresses of a cluster, on one machine.
import { freePort } from '../../test/support/free-port.ts';

/** A machine of the cluster: this one, or a network namespace that can be cut off. */
export interface Host {
  readonly address: string;
  /** What a command begins with that is to run there. */
  readonly entrance: readonly string[];
}

export interface NodePlan {
  readonly name: string;
  readonly host: Host;
  /** Everything of the node is below it. */
  readonly folder: string;
  readonly ports: Readonly<Record<'postgres' | 'rest' | 'etcd' | 'peer', number>>;
}

export interface ClusterPlan {
  readonly folder: string;
  readonly nodes: readonly NodePlan[];
  /** Where the proxies listen. */
  readonly front: Host;
  readonly ports: Readonly<Record<'primary' | 'replicas' | 'pgbouncer', number>>;
}

export const HERE: Host = { address: '127.0.0.1', entrance: [] };

export async function planCluster(
  folder: string,
  hosts: readonly Host[] = [HERE, HERE, HERE],
): Promise<ClusterPlan> {
  const nodes: NodePlan[] = [];
  for (const [index, host] of hosts.entries()) {
    const name = `node${index + 1}`;
    const ports = {
      postgres: await freePort(),
      rest: await freePort(),
      etcd: await freePort(),
      peer: await freePort(),
    };
    nodes.push({ name, host, folder: `${folder}/${name}`, ports });
  }
  const ports = {
    primary: await freePort(),
    replicas: await freePort(),
    pgbouncer: await freePort(),
  };
  return { folder, nodes, front: HERE, ports };
}

export function at({ host, ports }: NodePlan, port: keyof NodePlan['ports']): string {
  return `${host.address}:${ports[port]}`;
}
