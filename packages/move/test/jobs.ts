// Loaded by a platform: what moved jobs are, once they are here. Each gives back what it was given.
import { defineJob } from 'pawl/internal/handler/define-job';
import { typed } from 'pawl/internal/handler/schema';

const echo = (type: string) =>
  defineJob(type, {
    input: typed<unknown>(),
    maxAttempts: 3,
    run: ({ input }) => input,
  });

export const welcome = echo('welcome');
export const printInvoice = echo('print-invoice');
export const remind = echo('remind');
