import { signal } from '@preact/signals';

/** The time, a little late: what is shown as "3 s ago" follows it. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1_000);
