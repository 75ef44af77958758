/**
 * Claims hold this lock together, a change of a valve holds it alone: whoever has changed a valve
 * knows that no claim is under way that has not seen it.
 */
export const VALVE_LOCK = `hashtextextended('pawl.valves', 0)`;

export const VALVE_SCHEMA = `
CREATE TABLE pawl.valves (
  tenant_id int NOT NULL, scope text NOT NULL, name text COLLATE "C" NOT NULL,
  is_paused boolean NOT NULL, concurrency int, high_watermark int8, low_watermark int8,
  is_shedding boolean NOT NULL, reason text, actor text NOT NULL, updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, scope, name)
);`;

/** In the claim: at most what the lane's valves have room for, counted while they are locked. */
export const ROOM = `IF v_queue_max[v_lane] IS NOT NULL THEN
      SELECT least(v_share, v_queue_max[v_lane] - count(*)) INTO v_share FROM pawl.jobs j
      WHERE j.phase IN (2, 3) AND j.tenant_id + 0 = v_tenants[v_lane]
        AND j.queue || '' = v_queues[v_lane];
    END IF;
    IF v_type_max[v_lane] IS NOT NULL THEN
      SELECT least(v_share, v_type_max[v_lane] - count(*)) INTO v_share FROM pawl.jobs j
      WHERE j.phase IN (2, 3) AND j.tenant_id + 0 = v_tenants[v_lane]
        AND j.type || '' = v_types[v_lane];
    END IF;
    CONTINUE WHEN v_share <= 0;`;

/** In the claim: everyone locks the valves that count in the same order. */
export const LOCK_ROOMS = `IF array_remove(v_queue_max || v_type_max, NULL) <> '{}' THEN
    PERFORM FROM pawl.valves v WHERE v.concurrency IS NOT NULL
      AND (v.tenant_id, v.scope, v.name) IN (
      SELECT t, 'queue', q FROM unnest(v_tenants, v_queues) x(t, q)
      UNION SELECT t, 'type', y FROM unnest(v_tenants, v_types) x(t, y))
    ORDER BY v.tenant_id, v.scope, v.name FOR UPDATE;
  END IF;`;
