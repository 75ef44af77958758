import { round as whole } from '../harness/markdown.ts';

/** About three figures. */
export function short(value: number): string {
  if (value === 0 || value >= 100) return whole(value);
  return value.toFixed(value >= 10 ? 1 : value >= 0.1 ? 2 : 3);
}

export function terabytes(bytes: number): string {
  return `${short(bytes / 1e12)} TB`;
}

export function megabytes(bytes: number): string {
  return `${short(bytes / 1e6)} MB`;
}
