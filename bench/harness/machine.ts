import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** The machine and how busy it was, as the first point of a list in Markdown. */
export function machineLines(loadBefore: number): string[] {
  const model = cpus()[0]?.model.replaceAll(/\s+/g, ' ').trim() ?? 'unknown';
  const memory = Math.round(totalmem() / 2 ** 30);
  return [
    `- Machine: ${availableParallelism()} cores (${model}), ${memory} GiB, shared by the load, the`,
    `  engine and the database; ${process.platform}, Node ${process.versions.node}. Others were at`,
    `  work as well: ${loadBefore.toFixed(1)} wanted to run before, ` +
      `${loadavg()[0]!.toFixed(1)} at the end, the benchmark included.`,
  ];
}
