import { type Static, Type } from 'typebox';
import { ALERTS, WINDOWS } from './slo-window.ts';
import { closed, nullable } from './values.ts';

const Millis = nullable(Type.Integer());
const Count = Type.Integer();
const IsMet = nullable(Type.Boolean({ description: 'Null: no target, or no data.' }));

const WindowSchema = closed({
  window: Type.Enum(WINDOWS.map(({ name }) => name)),
  counts: closed({ succeeded: Count, failed: Count, refused: Count, cancelled: Count }),
  p50Ms: Millis,
  p95Ms: Millis,
  p99Ms: Millis,
  failureRate: nullable(Type.Number()),
  burnRate: nullable(Type.Number()),
});

/** What a type promises; null: nothing. */
export const SloTargetSchema = closed({
  p50Ms: Millis,
  p95Ms: Millis,
  p99Ms: Millis,
  failureRateMax: Type.Number(),
  measures: Type.Enum(['duration', 'first_token']),
});

/** How a type keeps what it promises. */
export const SloSchema = Type.Object(
  {
    type: Type.String(),
    target: SloTargetSchema,
    windows: Type.Array(WindowSchema),
    isMet: closed({ p50: IsMet, p95: IsMet, p99: IsMet, failureRate: IsMet }),
    errorBudgetRemaining: Type.Number(),
    alerts: Type.Array(
      closed({ name: Type.Enum(ALERTS.map(({ name }) => name)), isFiring: Type.Boolean() }),
    ),
  },
  { $id: 'Slo' },
);

export type SloJson = Static<typeof SloSchema>;
