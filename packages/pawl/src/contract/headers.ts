import { Type } from 'typebox';
import { text } from './values.ts';

export const IdempotencyKey = text(480, 1);

const TRACEPARENT = {
  traceparent: Type.Optional(Type.String({ description: 'W3C trace context.' })),
};

/** The `Idempotency-Key` header, for requests that it makes repeatable. */
export const IDEMPOTENT_BY_KEY = Type.Object({
  'idempotency-key': Type.Optional(IdempotencyKey),
  ...TRACEPARENT,
});

/** Where a repeat changes nothing anyway: the key is accepted, so that clients may send one. */
export const IDEMPOTENT_BY_STATE = Type.Object({
  'idempotency-key': Type.Optional(IdempotencyKey),
});
