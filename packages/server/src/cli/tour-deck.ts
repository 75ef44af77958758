/** What `pawl tour` has to show: a deck small enough to be read, with a table and notes. */
export const TOUR_NAME = 'ratchet.md';

/** Something that the deck answers. */
export const TOUR_QUESTION = 'Who owns a job, and for how long?';

export const TOUR_TEXT = `---
title: The ratchet
---

# The ratchet

How jobs only ever move forward

---

## What a pawl does

- A pawl is the catch that lets a ratchet turn one way only.
- A job turns the same way: within one turn of the wheel its phase only rises.
  - A retry opens the next turn.
  - Nothing leads out of the end.

<!-- notes: Bring a real ratchet and let the audience hear it click. -->

---

## Who works on it

- A worker owns a job for as long as its lease lasts, and renews it by a heartbeat.
- Two heartbeats missed in a row lose the lease, and another worker continues.
- The number of the turn is the fencing token: a late write of a former owner is refused.

---

## What it costs

| promise | price |
|---|---|
| no accepted job is lost | one write to disk, shared by many |
| one owner a turn | one row lock |
| always explainable | one event a transition |
`;
