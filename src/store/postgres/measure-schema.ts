/**
 * How jobs ended, by short and long stretches of time, and how far the log was read for it. `bin`
 * is -1 where a job ended before anyone began it.
 */
export const MEASURE_SCHEMA = `
CREATE TABLE pawl.ends (
  tenant_id int NOT NULL, grain text NOT NULL, at int8 NOT NULL, type text COLLATE "C" NOT NULL,
  outcome text NOT NULL, bin smallint NOT NULL, count int8 NOT NULL,
  PRIMARY KEY (tenant_id, grain, at, type, outcome, bin)
);
CREATE TABLE pawl.end_readers (name text PRIMARY KEY, cursor text NOT NULL);
CREATE INDEX dead_letters_open ON pawl.dead_letters (type) WHERE replayed_as IS NULL;`;
