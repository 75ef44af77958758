import { readdirSync, readFileSync } from 'node:fs';

const TICK_MICROS = 10_000;

interface Fields {
  readonly parent: number;
  readonly cpuTicks: number;
  readonly endedChildrenTicks: number;
}

/** Linux only: elsewhere nothing is known. Fields are counted behind the name in brackets. */
function fieldsOf(pid: number): Fields | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (index: number): number => Number(fields[index]);
    return {
      parent: at(1),
      cpuTicks: at(11) + at(12),
      endedChildrenTicks: at(13) + at(14),
    };
  } catch {
    return null;
  }
}

/** Memory that is shared by several counts only once in all. */
function proportionalBytes(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

/** What a server and its processes have used of the machine, those that ended included. */
export function treeUsage(pid: number): { cpuMicros: number | null; rssBytes: number | null } {
  const root = fieldsOf(pid);
  if (root === null) return { cpuMicros: null, rssBytes: null };
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const children = pids.filter((each) => fieldsOf(each)?.parent === pid);
  const ticks = children.reduce(
    (sum, each) => sum + (fieldsOf(each)?.cpuTicks ?? 0),
    root.cpuTicks + root.endedChildrenTicks,
  );
  const rssBytes = [pid, ...children].reduce((sum, each) => sum + proportionalBytes(each), 0);
  return { cpuMicros: ticks * TICK_MICROS, rssBytes };
}

/** The most memory that a child of a process has ever had; null where nothing is known. */
export function childPeakBytes(pid: number): number | null {
  if (fieldsOf(pid) === null) return null;
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const peaks = pids
    .filter((each) => fieldsOf(each)?.parent === pid)
    .map((each) => {
      try {
        const text = readFileSync(`/proc/${each}/status`, 'utf8');
        return Number(/^VmHWM:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1_024;
      } catch {
        return 0;
      }
    });
  return peaks.length === 0 ? null : Math.max(...peaks);
}
