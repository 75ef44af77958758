import type { DiagnosisJson } from '../../../pawl/src/contract/doctor.ts';
import type { JobJson } from '../../../pawl/src/contract/job.ts';
import type { QueueJson } from '../../../pawl/src/contract/queue.ts';
import type { SloJson } from '../../../pawl/src/contract/slo.ts';
import type { WorkerJson } from '../../../pawl/src/contract/worker-sign.ts';
import { get } from '../api.ts';
import { isSettled, useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { Empty, ProblemBox } from '../parts/notice.tsx';
import { hrefOf } from '../route.ts';
import { Figures } from './overview/figures.tsx';
import { Recent, Running } from './overview/lately.tsx';
import { Problems } from './overview/problems.tsx';
import { Promises } from './overview/promises.tsx';
import { Throughput } from './overview/throughput.tsx';

const LIVE = { everyMs: 2_000 };
const SLOW = { everyMs: 10_000 };
const RUNNING_SHOWN = 10;

/** How the platform is doing, problems first. */
export function OverviewPage() {
  const queues = useLoaded(() => get<Page<QueueJson>>('./v1/queues'), [], LIVE);
  const running = useLoaded(
    () => get<Page<JobJson>>('./v1/jobs', { phase: 'executing', limit: RUNNING_SHOWN }),
    [],
    LIVE,
  );
  const workers = useLoaded(() => get<Page<WorkerJson>>('./v1/workers', { limit: 500 }), [], SLOW);
  const slo = useLoaded(() => get<Page<SloJson>>('./v1/slo'), [], SLOW);
  const doctor = useLoaded(
    async () => ({ found: await get<DiagnosisJson>('./v1/doctor').catch(() => null) }),
    [],
    { everyMs: 15_000 },
  );
  // All at once: a problem that came late would push everything else down.
  const isReady = [queues, workers, slo, doctor].every(isSettled);
  const queueItems = queues.value.value?.items ?? [];
  const sloItems = slo.value.value?.items ?? [];
  return (
    <>
      <div class="head">
        <h1>Overview</h1>
        <a href={hrefOf(['failures'])}>failures by cause</a>
      </div>
      {queues.error.value !== null && <ProblemBox error={queues.error.value} />}
      {!isReady && <Empty title="Looking…" />}
      {isReady && (
        <>
          <Problems
            queues={queueItems}
            slos={sloItems}
            diagnosis={doctor.value.value?.found ?? null}
          />
          <Figures queues={queueItems} workers={workers.value.value?.items ?? null} />
          <div class="grid halves two">
            <Throughput />
            <Running jobs={running.value.value?.items ?? []} />
            <Recent />
            {slo.value.value !== null && <Promises slos={sloItems} />}
          </div>
        </>
      )}
    </>
  );
}
