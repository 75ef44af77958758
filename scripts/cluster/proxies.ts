// The settings of HAProxy and PgBouncer; docs/guides/operate/high-availability.md explains them.
import { at, type ClusterPlan, type NodePlan } from './plan.ts';

const CONNECTIONS_MAX = 100;

/**
 * A session on a server that is no primary any more must be cut, or its client would stay there: so
 * `on-marked-down shutdown-sessions`.
 */
export function haproxySettings({ nodes, front, ports }: ClusterPlan): string {
  const servers = nodes.map(
    (node) =>
      `  server ${node.name} ${at(node, 'postgres')} maxconn ${CONNECTIONS_MAX} ` +
      `check port ${node.ports.rest}`,
  );
  const listen = (name: 'primary' | 'replicas', check: string): string[] => [
    `listen ${name}`,
    `  bind ${front.address}:${ports[name]}`,
    `  option httpchk GET ${check}`,
    '  http-check expect status 200',
    '  default-server inter 2s fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
    '',
  ];
  return [
    'global',
    '  maxconn 400',
    '',
    'defaults',
    '  mode tcp',
    '  retries 1',
    '  option clitcpka',
    '  option srvtcpka',
    '  timeout connect 3s',
    '  timeout check 3s',
    '  timeout client 24h',
    '  timeout server 24h',
    '',
    ...listen('primary', '/primary'),
    ...listen('replicas', '/replica'),
  ].join('\n');
}

/** Before HAProxy: it asks for a new connection once a second until there is a primary. */
export function pgbouncerSettings({ folder, front, ports }: ClusterPlan): string {
  return `[databases]
* = host=${front.address} port=${ports.primary}
[pgbouncer]
listen_addr = ${front.address}
listen_port = ${ports.pgbouncer}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/pgbouncer.users
pool_mode = transaction
max_client_conn = 400
default_pool_size = 20
server_login_retry = 1
server_connect_timeout = 5
server_check_delay = 5
query_wait_timeout = 20
tcp_keepalive = 1
tcp_keepidle = 10
tcp_keepintvl = 5
tcp_keepcnt = 3
`;
}

export const PGBOUNCER_USERS = '"postgres" ""\n';

export function etcdFlags(node: NodePlan, { nodes }: ClusterPlan): string[] {
  const flags = {
    name: node.name,
    'data-dir': `${node.folder}/etcd`,
    'listen-client-urls': `http://${at(node, 'etcd')}`,
    'advertise-client-urls': `http://${at(node, 'etcd')}`,
    'listen-peer-urls': `http://${at(node, 'peer')}`,
    'initial-advertise-peer-urls': `http://${at(node, 'peer')}`,
    'initial-cluster': nodes.map((one) => `${one.name}=http://${at(one, 'peer')}`).join(),
    'initial-cluster-token': 'pawl',
    logger: 'zap',
    // Everything is on few cores, where a busy second is no reason to elect; but a new leader must
    // be there before Patroni gives up (`retry_timeout`) and the primary steps down.
    'heartbeat-interval': '300',
    'election-timeout': '3000',
  };
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}
