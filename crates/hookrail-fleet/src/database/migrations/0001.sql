-- The journal of many machines.
--
-- A machine ships its records with one COPY per batch into `records`; the trigger `accept` checks the batch, moves the
-- machine's mark and counts, in the same statement. So a batch arrives whole or not at all, and never twice.

CREATE SCHEMA hookrail;

CREATE TABLE hookrail.migrations (
  version int PRIMARY KEY,
  applied timestamptz NOT NULL DEFAULT now()
);

-- Group roles; an administrator grants them to logins: GRANT hookrail_writer TO alice.
DO $$ BEGIN
  CREATE ROLE hookrail_writer NOLOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;
DO $$ BEGIN
  CREATE ROLE hookrail_reader NOLOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;

CREATE TABLE hookrail.machines (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE,
  -- The login that registered it; no other one may write for it.
  login name NOT NULL DEFAULT session_user,
  name text NOT NULL,
  person text NOT NULL,
  os text NOT NULL,
  version text NOT NULL,
  policy text,
  policy_serial bigint,
  policy_state text NOT NULL,
  entries jsonb NOT NULL,
  intact boolean NOT NULL,
  -- How far its clock is ahead of the server's.
  clock_offset_ms bigint NOT NULL,
  first_seen timestamptz NOT NULL DEFAULT now(),
  last_seen timestamptz NOT NULL DEFAULT now(),
  -- What arrived last. The epoch grows when the journal of the machine was replaced.
  epoch int NOT NULL DEFAULT 1,
  last_segment bigint NOT NULL DEFAULT 0,
  last_seq bigint NOT NULL DEFAULT 0,
  last_hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex')
);

-- A row for every change of a machine's policy or of its agents' entries.
CREATE TABLE hookrail.states (
  machine int NOT NULL REFERENCES hookrail.machines,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  policy text,
  policy_serial bigint,
  policy_state text NOT NULL,
  entries jsonb NOT NULL,
  intact boolean NOT NULL,
  PRIMARY KEY (machine, since)
);

-- Where a chain of records does not hold.
CREATE TABLE hookrail.breaks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  machine int NOT NULL REFERENCES hookrail.machines,
  epoch int NOT NULL,
  kind text NOT NULL,
  place text NOT NULL,
  detail text NOT NULL,
  found timestamptz NOT NULL DEFAULT now(),
  UNIQUE (machine, epoch, kind, place)
);

CREATE TABLE hookrail.records (
  machine int NOT NULL,
  epoch int NOT NULL,
  segment bigint NOT NULL,
  seq bigint NOT NULL,
  -- The partition: the day of `ts`, or the day of arrival if the machine's clock cannot be right.
  day date NOT NULL,
  ts timestamptz NOT NULL,
  received timestamptz NOT NULL DEFAULT now(),
  session text NOT NULL,
  agent text NOT NULL,
  event text NOT NULL,
  hook text NOT NULL,
  kind text NOT NULL,
  outcome text NOT NULL,
  decision text,
  reason text,
  duration_us bigint NOT NULL,
  tool text,
  subject text,
  error text,
  part int NOT NULL,
  project text,
  -- What has no column of its own.
  rest jsonb,
  prev bytea NOT NULL,
  hash bytea NOT NULL,
  -- Whether the line had the hash that it said it had.
  sound boolean NOT NULL,
  PRIMARY KEY (machine, epoch, segment, seq, day)
) PARTITION BY RANGE (day);
CREATE INDEX records_ts ON hookrail.records (ts);
CREATE INDEX records_session ON hookrail.records (session, ts);
CREATE INDEX records_notable ON hookrail.records (ts) WHERE outcome <> 'succeeded' OR decision IS NOT NULL;

-- Counts by day, kept up by every batch. A bucket holds durations between two half powers of two microseconds.
CREATE TABLE hookrail.daily (
  day date NOT NULL,
  machine int NOT NULL,
  agent text NOT NULL,
  project text NOT NULL,
  hook text NOT NULL,
  outcome text NOT NULL,
  decision text NOT NULL,
  bucket smallint NOT NULL,
  runs bigint NOT NULL,
  PRIMARY KEY (day, machine, agent, project, hook, outcome, decision, bucket)
);

-- The bucket of a duration. Floating point, because logarithms of numerics take longer than all the rest; a power of two must
-- not be lifted into the next bucket by rounding.
CREATE FUNCTION hookrail.bucket(duration_us bigint) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT least(60, ceil(2 * ln(greatest(duration_us, 1)::float8) / ln(2::float8) - 1e-9))::smallint
$$;

-- Says who and how a machine is; returns what of it arrived last, and locks it until the transaction ends.
CREATE FUNCTION hookrail.hello(
  machine_key text, machine_name text, machine_person text, machine_os text, machine_version text,
  policy_name text, serial bigint, state text, entry_states jsonb, is_intact boolean, client_ms bigint,
  OUT machine int, OUT epoch int, OUT segment bigint, OUT seq bigint, OUT hash text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  known hookrail.machines%ROWTYPE;
  offset_ms bigint := client_ms - (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
  INSERT INTO hookrail.machines AS m (key, name, person, os, version, policy, policy_serial, policy_state, entries, intact, clock_offset_ms)
    VALUES (machine_key, machine_name, machine_person, machine_os, machine_version, policy_name, serial, state, entry_states, is_intact, offset_ms)
    ON CONFLICT (key) DO NOTHING;
  SELECT * INTO known FROM hookrail.machines m WHERE m.key = machine_key FOR UPDATE;
  IF known.login <> session_user THEN
    RAISE insufficient_privilege USING MESSAGE = format('this machine was registered by the login %s', known.login);
  END IF;
  UPDATE hookrail.machines m SET name = machine_name, person = machine_person, os = machine_os, version = machine_version,
    policy = policy_name, policy_serial = serial, policy_state = state, entries = entry_states, intact = is_intact,
    clock_offset_ms = offset_ms, last_seen = now() WHERE m.id = known.id;
  INSERT INTO hookrail.states (machine, policy, policy_serial, policy_state, entries, intact)
    SELECT known.id, policy_name, serial, state, entry_states, is_intact
    WHERE (policy_name, serial, state, entry_states, is_intact) IS DISTINCT FROM
      (SELECT (s.policy, s.policy_serial, s.policy_state, s.entries, s.intact) FROM hookrail.states s
        WHERE s.machine = known.id ORDER BY s.since DESC LIMIT 1);
  machine := known.id;
  SELECT r.epoch, r.segment, r.seq, r.hash INTO epoch, segment, seq, hash FROM hookrail.resume(known.id) r;
END $$;

-- What of a machine arrived last; locks it until the transaction ends.
CREATE FUNCTION hookrail.resume(
  machine_id int, OUT epoch int, OUT segment bigint, OUT seq bigint, OUT hash text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  known hookrail.machines%ROWTYPE;
BEGIN
  SELECT * INTO known FROM hookrail.machines m WHERE m.id = machine_id AND m.login = session_user FOR UPDATE;
  IF NOT FOUND THEN
    RAISE insufficient_privilege USING MESSAGE = 'this login has no such machine';
  END IF;
  epoch := known.epoch; segment := known.last_segment; seq := known.last_seq; hash := encode(known.last_hash, 'hex');
END $$;

-- The journal of a machine is not the one that was shipped: notes that and goes on in a new epoch, after the last record
-- that both have.
CREATE FUNCTION hookrail.start_over(machine_id int, break_kind text, break_detail text, common_seq bigint, common_hash text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mark record;
BEGIN
  SELECT * INTO mark FROM hookrail.resume(machine_id);
  INSERT INTO hookrail.breaks (machine, epoch, kind, place, detail)
    VALUES (machine_id, mark.epoch, left(break_kind, 64), 'seq ' || mark.seq, left(break_detail, 1000)) ON CONFLICT DO NOTHING;
  UPDATE hookrail.machines m SET epoch = m.epoch + 1, last_segment = 0, last_seq = common_seq,
    last_hash = decode(common_hash, 'hex') WHERE m.id = machine_id;
END $$;

-- Something that the machine itself found wrong with its journal.
CREATE FUNCTION hookrail.report_break(machine_id int, break_kind text, break_place text, break_detail text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mark record;
BEGIN
  SELECT * INTO mark FROM hookrail.resume(machine_id);
  INSERT INTO hookrail.breaks (machine, epoch, kind, place, detail)
    VALUES (machine_id, mark.epoch, left(break_kind, 64), left(break_place, 200), left(break_detail, 1000)) ON CONFLICT DO NOTHING;
END $$;

-- Checks a batch against what arrived before, moves the mark, counts.
CREATE FUNCTION hookrail.accept() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  batch record;
  known hookrail.machines%ROWTYPE;
BEGIN
  SELECT count(*) AS records, count(DISTINCT a.seq) AS numbers, min(a.machine) AS machine, max(a.machine) AS other,
    min(a.epoch) AS epoch, max(a.epoch) AS other_epoch, min(a.seq) AS first, max(a.seq) AS last INTO batch FROM arrived a;
  IF batch.records = 0 THEN
    RETURN NULL;
  END IF;
  SELECT * INTO known FROM hookrail.machines m WHERE m.id = batch.machine AND m.login = session_user FOR UPDATE;
  IF NOT FOUND OR batch.machine <> batch.other THEN
    RAISE insufficient_privilege USING MESSAGE = 'a batch is of one machine of this login';
  END IF;
  IF batch.epoch <> known.epoch OR batch.other_epoch <> known.epoch THEN
    RAISE serialization_failure USING MESSAGE = 'the journal was started over meanwhile';
  END IF;
  IF batch.first <= known.last_seq OR batch.numbers <> batch.records THEN
    RAISE unique_violation USING MESSAGE = format('record %s arrived before', batch.first);
  END IF;
  INSERT INTO hookrail.breaks (machine, epoch, kind, place, detail)
    SELECT known.id, known.epoch,
      CASE WHEN NOT b.sound THEN 'changed' WHEN b.seq <> b.before + 1 THEN 'gap' ELSE 'link' END,
      'seq ' || b.seq,
      CASE WHEN NOT b.sound THEN 'the record is not as it was written'
        WHEN b.seq <> b.before + 1 THEN format('records %s to %s are missing', b.before + 1, b.seq - 1)
        ELSE 'the record before it is another one than it was written after' END
    FROM (SELECT a.seq, a.prev, a.sound, lag(a.seq, 1, known.last_seq) OVER w AS before, lag(a.hash, 1, known.last_hash) OVER w AS before_hash
      FROM arrived a WINDOW w AS (ORDER BY a.seq)) b
    WHERE NOT b.sound OR b.seq <> b.before + 1 OR b.prev <> b.before_hash
    ON CONFLICT DO NOTHING;
  UPDATE hookrail.machines m SET last_seq = a.seq, last_hash = a.hash, last_segment = a.segment, last_seen = now()
    FROM arrived a WHERE m.id = known.id AND a.seq = batch.last;
  INSERT INTO hookrail.daily AS d (day, machine, agent, project, hook, outcome, decision, bucket, runs)
    SELECT a.day, a.machine, a.agent, coalesce(a.project, ''), a.hook, a.outcome, coalesce(a.decision, ''),
      hookrail.bucket(a.duration_us) AS bucket, count(*)
    FROM arrived a WHERE a.kind <> 'journal' GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
    ON CONFLICT (day, machine, agent, project, hook, outcome, decision, bucket) DO UPDATE SET runs = d.runs + excluded.runs;
  RETURN NULL;
END $$;
CREATE TRIGGER accept AFTER INSERT ON hookrail.records
  REFERENCING NEW TABLE AS arrived FOR EACH STATEMENT EXECUTE FUNCTION hookrail.accept();

-- What a login may see of what it shipped itself.
CREATE VIEW hookrail.my_records WITH (security_barrier) AS
  SELECT r.* FROM hookrail.records r JOIN hookrail.machines m ON m.id = r.machine WHERE m.login = session_user;

ALTER TABLE hookrail.machines ENABLE ROW LEVEL SECURITY;
ALTER TABLE hookrail.states ENABLE ROW LEVEL SECURITY;
ALTER TABLE hookrail.breaks ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON hookrail.machines FOR SELECT TO hookrail_writer USING (login = session_user);
CREATE POLICY own ON hookrail.states FOR SELECT TO hookrail_writer
  USING (machine IN (SELECT id FROM hookrail.machines WHERE login = session_user));
CREATE POLICY own ON hookrail.breaks FOR SELECT TO hookrail_writer
  USING (machine IN (SELECT id FROM hookrail.machines WHERE login = session_user));
CREATE POLICY every ON hookrail.machines FOR SELECT TO hookrail_reader USING (true);
CREATE POLICY every ON hookrail.states FOR SELECT TO hookrail_reader USING (true);
CREATE POLICY every ON hookrail.breaks FOR SELECT TO hookrail_reader USING (true);

GRANT USAGE ON SCHEMA hookrail TO hookrail_writer, hookrail_reader;
GRANT SELECT ON hookrail.migrations TO hookrail_writer, hookrail_reader;
GRANT SELECT ON hookrail.machines, hookrail.states, hookrail.breaks, hookrail.my_records TO hookrail_writer;
-- COPY into a table with row security is not possible, so a writer gets INSERT on it and nothing else; `accept` checks rows.
GRANT INSERT ON hookrail.records TO hookrail_writer;
GRANT SELECT ON hookrail.machines, hookrail.states, hookrail.breaks, hookrail.records, hookrail.daily TO hookrail_reader;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA hookrail FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hookrail.bucket TO hookrail_reader;
GRANT EXECUTE ON FUNCTION hookrail.hello, hookrail.resume, hookrail.start_over, hookrail.report_break TO hookrail_writer;
