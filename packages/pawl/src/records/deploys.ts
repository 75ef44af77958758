import type { Instant } from '../core/clock.ts';
import type { PutOp, RecordKind, RecordStore, StoredRecord } from '../store/records.ts';
import { atOf, HISTORY_KEPT_MS, idAt, idsFrom, purgeDue } from './history-time.ts';

/** A version of workers that came into use. */
export interface DeployMark {
  readonly at: Instant;
  readonly version: string;
}

/** Workers of one version; the tenant is '' where they take everybody's jobs. */
export interface RunningVersion {
  readonly tenant: string;
  readonly version: string;
}

const DEPLOY: RecordKind = { name: 'history-deploy', keptIn: 'first' };
const DEPLOYS_MAX = 500;

/** A version that nobody ran for so long is deployed anew when it comes back. */
const AWAY_MS = 600_000;

interface Body {
  readonly version: string;
  readonly seenAt: Instant;
}

function bodyOf({ body }: StoredRecord): Body {
  return JSON.parse(body) as Body;
}

/** The repository of the versions that workers ran. */
export class Deploys {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** Remembers the versions that run now. */
  async see(now: Instant, running: readonly RunningVersion[]): Promise<void> {
    const query = { kind: DEPLOY, tenants: null, order: 'descending', limit: DEPLOYS_MAX } as const;
    const { records } = await this.#records.list(query);
    const ops = running.map(({ tenant, version }): PutOp => {
      const known = records.find((one) => {
        const body = bodyOf(one);
        const isSame = one.tenant === tenant && body.version === version;
        return isSame && now - body.seenAt <= AWAY_MS;
      });
      const id = known?.id ?? idAt(now, version);
      const body = JSON.stringify({ version, seenAt: now } satisfies Body);
      const dueAt = now + HISTORY_KEPT_MS.hour;
      return { op: 'put', kind: DEPLOY, tenant, id, body, dueAt };
    });
    if (ops.length > 0) await this.#records.write(ops);
  }

  /** Of workers that take a tenant's jobs, the earliest first. */
  async list(tenant: string, range: { from: Instant; to: Instant }): Promise<DeployMark[]> {
    const { records } = await this.#records.list({
      kind: DEPLOY,
      tenants: ['', tenant],
      after: idsFrom(range.from),
      before: idsFrom(range.to),
      limit: DEPLOYS_MAX,
    });
    return records.map((one) => ({ at: atOf(one.id), version: bodyOf(one).version }));
  }

  purge(limit: number): Promise<number> {
    return purgeDue(this.#records, [DEPLOY], limit);
  }
}
