import { EVENT_FIELDS, eventSelect, JOB_FIELDS, jobSelect, noteSelect } from './row.ts';
import { byKey, NOW, PINS, SORTLESS } from './sql-text.ts';

const SWEEPS = `
CREATE FUNCTION pawl.waiting_v1(p_limit int, p_now double precision)
RETURNS TABLE (${JOB_FIELDS}) LANGUAGE plpgsql ${SORTLESS} AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := ${NOW};
BEGIN
  RETURN QUERY SELECT ${jobSelect('j')} FROM pawl.jobs j WHERE j.gate = 2 AND j.run_at <= v_now
  ORDER BY j.run_at, j.seq LIMIT p_limit;
END $$;
CREATE FUNCTION pawl.expired_v1(p_limit int, p_now double precision)
RETURNS TABLE (${JOB_FIELDS}) LANGUAGE plpgsql ${PINS} AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := ${NOW};
BEGIN
  RETURN QUERY SELECT ${jobSelect('j')} FROM pawl.jobs j
  WHERE j.phase IN (2, 3) AND j.lease_expiry <= v_now ORDER BY j.lease_expiry, j.seq LIMIT p_limit;
END $$;`;

const READ = `
CREATE FUNCTION pawl.read_v1(p_tenants int[], p_ids uuid[])
RETURNS TABLE (ord int8, ${JOB_FIELDS}) LANGUAGE plpgsql STABLE ${PINS} AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT x.ord, ${jobSelect('j')}
  FROM unnest(p_tenants, p_ids) WITH ORDINALITY AS x(tenant_id, id, ord)
  JOIN pawl.jobs j ON ${byKey('j', { tenant: 'x.tenant_id', id: 'x.id' })};
END $$;`;

/**
 * Names this log: another database, a restored copy of the feed or a new timeline is another log,
 * because what a reader has seen may be missing there. The horizon lies below every transaction
 * that may still commit a feed row; those known to work in other databases cannot.
 */
const LOG = `
CREATE FUNCTION pawl.log_v1(OUT incarnation text, OUT horizon xid8, OUT next xid8)
LANGUAGE plpgsql AS $$
DECLARE v_snapshot pg_snapshot := pg_current_snapshot(); v_database oid;
BEGIN
  SELECT d.oid INTO v_database FROM pg_database d WHERE d.datname = current_database();
  SELECT substr(md5(concat_ws('/', m.incarnation, c.system_identifier, v_database,
    'pawl.feed'::regclass::oid, substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))), 1, 12)
  INTO incarnation FROM pawl.meta m, pg_control_system() c;
  next := pg_snapshot_xmax(v_snapshot);
  SELECT coalesce(min(x), next) INTO horizon FROM pg_snapshot_xip(v_snapshot) x
  WHERE NOT EXISTS (SELECT FROM pg_stat_activity a
    WHERE a.backend_xid = x::xid AND a.datid <> v_database);
END $$;`;

/** What one transaction after the other wrote, by name; what it was is read by the key. */
const TAIL = `
CREATE FUNCTION pawl.feed_v1(p_xid xid8, p_n int8, p_horizon xid8, p_limit int)
RETURNS TABLE (xid text, n int8, day text, tenants json, jobs json, versions json, notes json)
LANGUAGE plpgsql STABLE ${PINS} AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT f.xid::text, f.n, (f.ts AT TIME ZONE 'UTC')::date::text,
    to_json(f.tenants), to_json(f.jobs), to_json(f.versions), to_json(f.notes)
  FROM pawl.feed f WHERE (f.xid, f.n) >= (p_xid, p_n) AND f.xid < p_horizon
  ORDER BY f.xid, f.n LIMIT p_limit;
END $$;
CREATE FUNCTION pawl.logged_v1(p_tenants int[], p_jobs uuid[], p_versions int[], p_notes int[],
  p_days text[])
RETURNS TABLE (ord int8, ${EVENT_FIELDS}, job_type text, correlation_id text, trace_id text)
LANGUAGE plpgsql STABLE ${PINS} AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT i.ord, ${eventSelect('e')}, j.type, j.correlation_id, j.trace_id
  FROM unnest(p_tenants, p_jobs, p_versions, p_notes) WITH ORDINALITY
    AS i(tenant_id, job_id, version, note, ord)
  JOIN pawl.jobs j ON ${byKey('j', { tenant: 'i.tenant_id', id: 'i.job_id' })}
  JOIN pawl.events e ON e.tenant_id = i.tenant_id AND e.job_id = ANY (ARRAY[i.job_id])
    AND e.version = i.version AND e.born = j.born
  WHERE i.note = 0;
  RETURN QUERY SELECT i.ord, ${noteSelect('o')}, j.type, j.correlation_id, j.trace_id
  FROM unnest(p_tenants, p_jobs, p_versions, p_notes, p_days) WITH ORDINALITY
    AS i(tenant_id, job_id, version, note, day, ord)
  JOIN pawl.jobs j ON ${byKey('j', { tenant: 'i.tenant_id', id: 'i.job_id' })}
  JOIN pawl.notes o ON o.tenant_id = i.tenant_id AND o.job_id = ANY (ARRAY[i.job_id])
    AND o.version = i.version AND o.n = i.note AND o.day = i.day::date
  WHERE i.note > 0;
END $$;`;

export const READ_FUNCTIONS: readonly string[] = [SWEEPS, READ, LOG, TAIL];
