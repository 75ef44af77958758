// The settings of Patroni: JSON, which is YAML too.
import { at, type ClusterPlan, type NodePlan } from './plan.ts';

/** `strict`: what is acknowledged is on two servers, always. `asynchronous`: on one. */
export type Mode = 'strict' | 'asynchronous';

export const MODES: Readonly<Record<Mode, object>> = {
  strict: { synchronous_mode: true, synchronous_mode_strict: true },
  asynchronous: { synchronous_mode: false, synchronous_mode_strict: false },
};

const PARAMETERS = {
  max_connections: 120,
  shared_buffers: '48MB',
  max_wal_size: '256MB',
  min_wal_size: '64MB',
  wal_keep_size: '256MB',
  wal_level: 'replica',
  wal_receiver_timeout: '10s',
  wal_sender_timeout: '10s',
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  timezone: 'UTC',
};

/** As every node reads them from etcd; the first one writes them there. */
function shared(mode: Mode): object {
  return {
    ttl: 20,
    loop_wait: 4,
    retry_timeout: 8,
    // A primary that crashed is replaced, not waited for.
    primary_start_timeout: 0,
    // A standby that is far behind may take over all the same: the mode decides what is lost.
    maximum_lag_on_failover: 1_073_741_824,
    ...MODES[mode],
    postgresql: { use_pg_rewind: true, use_slots: true, parameters: PARAMETERS },
  };
}

export function patroniSettings(
  node: NodePlan,
  plan: ClusterPlan,
  { mode, postgres }: { readonly mode: Mode; readonly postgres: string },
): string {
  const { host, folder, name } = node;
  return JSON.stringify({
    scope: 'pawl',
    name,
    restapi: { listen: at(node, 'rest'), connect_address: at(node, 'rest') },
    etcd3: { hosts: plan.nodes.map((one) => at(one, 'etcd')) },
    bootstrap: {
      dcs: shared(mode),
      initdb: ['data-checksums', 'no-sync', { encoding: 'UTF8' }, { locale: 'C' }],
    },
    postgresql: {
      listen: at(node, 'postgres'),
      connect_address: `${host.address}:${node.ports.postgres}`,
      data_dir: `${folder}/data`,
      bin_dir: postgres,
      pgpass: `${folder}/pgpass`,
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
      },
      pg_hba: ['local all all trust', 'host all all all trust', 'host replication all all trust'],
      parameters: { unix_socket_directories: folder },
    },
    watchdog: { mode: 'off' },
  });
}
