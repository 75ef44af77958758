import { EVENT_FIELDS, eventSelect, noteSelect } from './row.ts';
import { byKey, PINS } from './sql-text.ts';

/** How many versions of one job transactions that overlap can have written, with room to spare. */
const REACH = 32;

/** Which transaction wrote an event; null for those written before there was this column. */
const XID = `
ALTER TABLE pawl.events ADD COLUMN xid xid8;
ALTER TABLE pawl.events ALTER COLUMN xid SET DEFAULT pg_current_xact_id();`;

/** Other events of the same job that stand before a later version in the feed, or behind it. */
const DISORDER = `(SELECT json_agg(o.version) FROM pawl.events o
    WHERE o.tenant_id = i.tenant_id AND o.job_id = ANY (ARRAY[i.job_id]) AND o.born = j.born
      AND o.version BETWEEN i.version - ${REACH} AND i.version + ${REACH}
      AND CASE WHEN o.version < i.version THEN o.xid > e.xid ELSE o.xid < e.xid END)`;

/**
 * One event, in the day in which its job was born and no other: as a plain join, every day of the
 * log would be looked into.
 */
const EVENT_OF_DAY = `(SELECT * FROM pawl.events x
    WHERE x.tenant_id = i.tenant_id AND x.job_id = ANY (ARRAY[i.job_id])
      AND x.version = i.version AND x.born = j.born OFFSET 0)`;

const LOGGED = `
CREATE FUNCTION pawl.logged_v2(p_tenants int[], p_jobs uuid[], p_versions int[], p_notes int[],
  p_days text[])
RETURNS TABLE (ord int8, ${EVENT_FIELDS}, job_type text, correlation_id text, trace_id text,
  disorder json)
LANGUAGE plpgsql STABLE ${PINS} AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT i.ord, ${eventSelect('e')}, j.type, j.correlation_id, j.trace_id, ${DISORDER}
  FROM unnest(p_tenants, p_jobs, p_versions, p_notes) WITH ORDINALITY
    AS i(tenant_id, job_id, version, note, ord)
  JOIN pawl.jobs j ON ${byKey('j', { tenant: 'i.tenant_id', id: 'i.job_id' })}
  CROSS JOIN LATERAL ${EVENT_OF_DAY} e
  WHERE i.note = 0;
  RETURN QUERY SELECT i.ord, ${noteSelect('o')}, j.type, j.correlation_id, j.trace_id, NULL::json
  FROM unnest(p_tenants, p_jobs, p_versions, p_notes, p_days) WITH ORDINALITY
    AS i(tenant_id, job_id, version, note, day, ord)
  JOIN pawl.jobs j ON ${byKey('j', { tenant: 'i.tenant_id', id: 'i.job_id' })}
  JOIN pawl.notes o ON o.tenant_id = i.tenant_id AND o.job_id = ANY (ARRAY[i.job_id])
    AND o.version = i.version AND o.n = i.note AND o.day = i.day::date
  WHERE i.note > 0;
END $$;`;

export const TAIL_FUNCTIONS: readonly string[] = [LOGGED];
export const TAIL_SCHEMA: readonly string[] = [XID, ...TAIL_FUNCTIONS];
