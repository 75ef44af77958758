-- The checksum of a row (sums.ts); null where it is not checked. Added here, so that the tables say
-- what a job is and this file how its bytes are kept.
ALTER TABLE facts ADD COLUMN sum INTEGER;
ALTER TABLE ended ADD COLUMN sum INTEGER;
ALTER TABLE log ADD COLUMN sum INTEGER;
ALTER TABLE log_texts ADD COLUMN sum INTEGER;

-- What erasure has taken is not checked any more, whichever release does it.
CREATE TRIGGER facts_erased AFTER UPDATE OF input ON facts WHEN NEW.sum IS NOT NULL
BEGIN UPDATE facts SET sum = NULL WHERE key = NEW.key; END;
CREATE TRIGGER ended_erased AFTER UPDATE OF result ON ended WHEN NEW.sum IS NOT NULL
BEGIN UPDATE ended SET sum = NULL WHERE key = NEW.key; END;
CREATE TRIGGER log_texts_erased AFTER UPDATE OF message ON log_texts WHEN NEW.sum IS NOT NULL
BEGIN UPDATE log_texts SET sum = NULL WHERE key = NEW.key AND n = NEW.n; END;
