import type { JobPlace, LogChange, LogChanges } from '../log-changes.ts';
import type { StoreWakeSignal } from '../wake-signal.ts';
import type { Cells } from './cells.ts';

type OnWake = (types: readonly string[] | null) => void;

/** What any cell tells is told; what is to be told is told by all that can be reached. */
export function wakeSignalOf(cells: Cells): StoreWakeSignal {
  return {
    get tellsOfBirths() {
      return cells.all.every(({ opened }) => opened?.wakeSignal?.tellsOfBirths === true);
    },
    get silence() {
      for (const { name, opened, fault } of cells.all) {
        const silence = opened === null ? fault?.message : opened.wakeSignal?.silence;
        if (silence !== null && silence !== undefined) return `cell "${name}": ${silence}`;
      }
      return null;
    },
    wake: (types) => {
      for (const { opened } of cells.all) opened?.wakeSignal?.wake(types);
    },
    listen: (onWake) => listen(cells, onWake),
  };
}

function listen(cells: Cells, onWake: OnWake): () => Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  let isOver = false;
  for (const cell of cells.all) {
    cell.onOpened(({ wakeSignal }) => {
      if (!isOver && wakeSignal !== undefined) stops.push(wakeSignal.listen(onWake));
    });
  }
  return async () => {
    isOver = true;
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Only where one of the cells has such changes. */
export function logChangesOf(cells: Cells): LogChanges {
  return {
    listen: (onChange) => listenToLogs(cells, onChange),
    isKept: async (log, at) => (await isAnyLog(cells, log)) || isKeptIn(cells, log, at),
    backSince: async () => {
      const found = await cells.everywhere(async (store) => store.logChanges?.backSince() ?? null);
      const known = found.map(({ answer }) => answer).filter((since) => since !== null);
      return known.length === 0 ? null : Math.max(...known);
    },
  };
}

function listenToLogs(cells: Cells, onChange: (change: LogChange) => void): () => void {
  const stops: (() => void)[] = [];
  let isOver = false;
  for (const cell of cells.all) {
    cell.onOpened(({ logChanges }) => {
      if (!isOver && logChanges !== undefined) stops.push(logChanges.listen(onChange));
    });
  }
  return () => {
    isOver = true;
    for (const stop of stops) stop();
  };
}

/** The log of another cell tells the same of a tenant that was moved from there. */
async function isAnyLog(cells: Cells, log: string): Promise<boolean> {
  const found = await cells.everywhere((store) => store.incarnation(''));
  return found.some(({ answer }) => answer === log);
}

async function isKeptIn(cells: Cells, log: string, at: JobPlace): Promise<boolean> {
  return cells.read(at.tenant, async (store) => {
    return (await store.logChanges?.isKept(log, at)) ?? false;
  });
}
