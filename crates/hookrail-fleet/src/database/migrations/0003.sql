-- Events and sessions, counted as they arrive: what a page shows of a month is read from counts, not from records.

-- How severe a run is: 0 none, 1 failed, 2 warned, 3 allow, 4 ask, 5 deny, 6 stop.
CREATE FUNCTION hookrail.verdict(outcome text, decision text) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE
    WHEN outcome = 'skipped' THEN 0
    WHEN outcome = 'warned' THEN 2
    WHEN decision = 'stop' THEN 6
    WHEN outcome = 'blocked' OR decision IN ('block', 'deny') THEN 5
    WHEN decision = 'ask' THEN 4
    WHEN outcome = 'failed' THEN 1
    WHEN decision IN ('allow', 'approve') THEN 3
    ELSE 0 END)::smallint
$$;

-- Runs by day without the machine. Machines share a shard by their number, so that few wait for each other.
CREATE TABLE hookrail.daily_totals (
  day date NOT NULL,
  shard smallint NOT NULL,
  agent text NOT NULL,
  hook text NOT NULL,
  outcome text NOT NULL,
  decision text NOT NULL,
  bucket smallint NOT NULL,
  runs bigint NOT NULL,
  PRIMARY KEY (day, shard, agent, hook, outcome, decision, bucket)
);

-- Runs by day and machine, whatever the hook.
CREATE TABLE hookrail.daily_machines (
  day date NOT NULL,
  machine int NOT NULL,
  outcome text NOT NULL,
  decision text NOT NULL,
  bucket smallint NOT NULL,
  runs bigint NOT NULL,
  PRIMARY KEY (day, machine, outcome, decision, bucket)
);

-- Runs by day and project, whatever the machine and the hook.
CREATE TABLE hookrail.daily_projects (
  day date NOT NULL,
  shard smallint NOT NULL,
  project text NOT NULL,
  outcome text NOT NULL,
  decision text NOT NULL,
  bucket smallint NOT NULL,
  runs bigint NOT NULL,
  PRIMARY KEY (day, shard, project, outcome, decision, bucket)
);

-- Events by day: what became of them, and what all their hooks took together.
CREATE TABLE hookrail.daily_events (
  day date NOT NULL,
  machine int NOT NULL,
  agent text NOT NULL,
  project text NOT NULL,
  verdict smallint NOT NULL,
  bucket smallint NOT NULL,
  events bigint NOT NULL,
  PRIMARY KEY (day, machine, agent, project, verdict, bucket)
);

-- The same without machine and project; by machine; and by project. An overview of all machines reads these.
CREATE TABLE hookrail.daily_event_totals (
  day date NOT NULL,
  shard smallint NOT NULL,
  agent text NOT NULL,
  verdict smallint NOT NULL,
  bucket smallint NOT NULL,
  events bigint NOT NULL,
  PRIMARY KEY (day, shard, agent, verdict, bucket)
);
CREATE TABLE hookrail.daily_event_machines (
  day date NOT NULL,
  machine int NOT NULL,
  verdict smallint NOT NULL,
  events bigint NOT NULL,
  PRIMARY KEY (day, machine, verdict)
);
CREATE TABLE hookrail.daily_event_projects (
  day date NOT NULL,
  shard smallint NOT NULL,
  project text NOT NULL,
  verdict smallint NOT NULL,
  events bigint NOT NULL,
  PRIMARY KEY (day, shard, project, verdict)
);

CREATE TABLE hookrail.sessions (
  machine int NOT NULL,
  session text NOT NULL,
  agent text NOT NULL,
  project text NOT NULL,
  first timestamptz NOT NULL,
  last timestamptz NOT NULL,
  ended boolean NOT NULL,
  -- Events by verdict, from none to stop.
  counts bigint[] NOT NULL,
  PRIMARY KEY (machine, session)
);
CREATE INDEX sessions_last ON hookrail.sessions (last);

-- What arrived since a moment: a page that is open asks for it every few seconds.
CREATE INDEX records_received ON hookrail.records USING brin (received) WITH (pages_per_range = 16);

-- The newest runs that came to a verdict.
CREATE INDEX records_verdict ON hookrail.records (hookrail.verdict(outcome, decision), ts) WHERE hookrail.verdict(outcome, decision) > 0;

-- The newest events of a project.
CREATE INDEX records_project ON hookrail.records (project, ts) WHERE part = 0;

-- Counts what arrived. Only the first run of an event names its project.
CREATE FUNCTION hookrail.count_arrived() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  WITH runs AS MATERIALIZED (
    SELECT a.day, a.machine, a.session, a.agent, a.event, a.ts, a.hook, a.outcome, coalesce(a.decision, '') AS decision,
      a.duration_us, a.part, a.seq - a.part AS head, coalesce(first_value(a.project) OVER w, '') AS project,
      hookrail.verdict(a.outcome, a.decision) AS verdict
    FROM arrived a WHERE a.kind <> 'journal' WINDOW w AS (PARTITION BY a.seq - a.part ORDER BY a.part)
  ), events AS MATERIALIZED (
    SELECT r.head, min(r.day) AS day, min(r.machine) AS machine, min(r.session) AS session, min(r.agent) AS agent,
      min(r.project) AS project, min(r.ts) AS ts, max(r.verdict) AS verdict, hookrail.bucket(sum(r.duration_us)::bigint) AS bucket,
      bool_or(r.event = 'SessionEnd') AS ends
    FROM runs r WHERE r.event <> '' GROUP BY r.head HAVING min(r.part) = 0
  ), by_machine AS (
    INSERT INTO hookrail.daily AS d (day, machine, agent, project, hook, outcome, decision, bucket, runs)
      SELECT r.day, r.machine, r.agent, r.project, r.hook, r.outcome, r.decision, hookrail.bucket(r.duration_us), count(*)
      FROM runs r GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
      ON CONFLICT (day, machine, agent, project, hook, outcome, decision, bucket) DO UPDATE SET runs = d.runs + excluded.runs
  ), of_machine AS (
    INSERT INTO hookrail.daily_machines AS d (day, machine, outcome, decision, bucket, runs)
      SELECT r.day, r.machine, r.outcome, r.decision, hookrail.bucket(r.duration_us), count(*) FROM runs r GROUP BY 1, 2, 3, 4, 5
      ON CONFLICT (day, machine, outcome, decision, bucket) DO UPDATE SET runs = d.runs + excluded.runs
  ), by_event AS (
    INSERT INTO hookrail.daily_events AS d (day, machine, agent, project, verdict, bucket, events)
      SELECT e.day, e.machine, e.agent, e.project, e.verdict, e.bucket, count(*) FROM events e GROUP BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (day, machine, agent, project, verdict, bucket) DO UPDATE SET events = d.events + excluded.events
  ), of_event_machine AS (
    INSERT INTO hookrail.daily_event_machines AS d (day, machine, verdict, events)
      SELECT e.day, e.machine, e.verdict, count(*) FROM events e GROUP BY 1, 2, 3
      ON CONFLICT (day, machine, verdict) DO UPDATE SET events = d.events + excluded.events
  ), by_project AS (
    INSERT INTO hookrail.daily_projects AS d (day, shard, project, outcome, decision, bucket, runs)
      SELECT r.day, r.machine % 16, r.project, r.outcome, r.decision, hookrail.bucket(r.duration_us), count(*)
      FROM runs r GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (day, shard, project, outcome, decision, bucket) DO UPDATE SET runs = d.runs + excluded.runs
  ), of_events AS (
    INSERT INTO hookrail.daily_event_totals AS d (day, shard, agent, verdict, bucket, events)
      SELECT e.day, e.machine % 16, e.agent, e.verdict, e.bucket, count(*) FROM events e GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT (day, shard, agent, verdict, bucket) DO UPDATE SET events = d.events + excluded.events
  ), of_event_project AS (
    INSERT INTO hookrail.daily_event_projects AS d (day, shard, project, verdict, events)
      SELECT e.day, e.machine % 16, e.project, e.verdict, count(*) FROM events e GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      ON CONFLICT (day, shard, project, verdict) DO UPDATE SET events = d.events + excluded.events
  ), by_session AS (
    INSERT INTO hookrail.sessions AS s (machine, session, agent, project, first, last, ended, counts)
      SELECT e.machine, e.session, min(e.agent), max(e.project), min(e.ts), max(e.ts),
        (array_agg(e.ends ORDER BY e.head DESC))[1],
        ARRAY[count(*) FILTER (WHERE e.verdict = 0), count(*) FILTER (WHERE e.verdict = 1), count(*) FILTER (WHERE e.verdict = 2),
          count(*) FILTER (WHERE e.verdict = 3), count(*) FILTER (WHERE e.verdict = 4), count(*) FILTER (WHERE e.verdict = 5),
          count(*) FILTER (WHERE e.verdict = 6)]
      FROM events e GROUP BY 1, 2
      ON CONFLICT (machine, session) DO UPDATE SET first = least(s.first, excluded.first), last = greatest(s.last, excluded.last),
        ended = excluded.ended, project = CASE WHEN s.project = '' THEN excluded.project ELSE s.project END,
        counts = ARRAY[s.counts[1] + excluded.counts[1], s.counts[2] + excluded.counts[2], s.counts[3] + excluded.counts[3],
          s.counts[4] + excluded.counts[4], s.counts[5] + excluded.counts[5], s.counts[6] + excluded.counts[6],
          s.counts[7] + excluded.counts[7]]
  )
  -- Rows of a shard are counted in the same order by all, this table first and then the others as they stand above: two machines
  -- of a shard that count at once wait for each other, and never in a circle.
  INSERT INTO hookrail.daily_totals AS d (day, shard, agent, hook, outcome, decision, bucket, runs)
    SELECT r.day, r.machine % 16, r.agent, r.hook, r.outcome, r.decision, hookrail.bucket(r.duration_us), count(*)
    FROM runs r GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (day, shard, agent, hook, outcome, decision, bucket) DO UPDATE SET runs = d.runs + excluded.runs;
  RETURN NULL;
END $$;

-- The check of a batch as before, without the counts.
CREATE OR REPLACE FUNCTION hookrail.accept() RETURNS trigger
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
  RETURN NULL;
END $$;
-- Triggers run in the order of their names: a batch is counted after it was accepted.
CREATE TRIGGER count_arrived AFTER INSERT ON hookrail.records
  REFERENCING NEW TABLE AS arrived FOR EACH STATEMENT EXECUTE FUNCTION hookrail.count_arrived();

-- What is there already is counted once.
WITH runs AS MATERIALIZED (
  SELECT r.day, r.machine, r.epoch, r.session, r.agent, r.event, r.ts, r.duration_us, r.part, r.seq - r.part AS head,
    coalesce(first_value(r.project) OVER w, '') AS project, hookrail.verdict(r.outcome, r.decision) AS verdict
  FROM hookrail.records r WHERE r.kind <> 'journal' AND r.event <> ''
  WINDOW w AS (PARTITION BY r.machine, r.epoch, r.seq - r.part ORDER BY r.part)
), events AS MATERIALIZED (
  SELECT r.machine, r.epoch, r.head, min(r.day) AS day, min(r.session) AS session, min(r.agent) AS agent, min(r.project) AS project,
    min(r.ts) AS ts, max(r.verdict) AS verdict, hookrail.bucket(sum(r.duration_us)::bigint) AS bucket, bool_or(r.event = 'SessionEnd') AS ends
  FROM runs r GROUP BY 1, 2, 3 HAVING min(r.part) = 0
), by_event AS (
  INSERT INTO hookrail.daily_events (day, machine, agent, project, verdict, bucket, events)
    SELECT e.day, e.machine, e.agent, e.project, e.verdict, e.bucket, count(*) FROM events e GROUP BY 1, 2, 3, 4, 5, 6
)
INSERT INTO hookrail.sessions (machine, session, agent, project, first, last, ended, counts)
  SELECT e.machine, e.session, min(e.agent), max(e.project), min(e.ts), max(e.ts), (array_agg(e.ends ORDER BY e.epoch DESC, e.head DESC))[1],
    ARRAY[count(*) FILTER (WHERE e.verdict = 0), count(*) FILTER (WHERE e.verdict = 1), count(*) FILTER (WHERE e.verdict = 2),
      count(*) FILTER (WHERE e.verdict = 3), count(*) FILTER (WHERE e.verdict = 4), count(*) FILTER (WHERE e.verdict = 5),
      count(*) FILTER (WHERE e.verdict = 6)]
  FROM events e GROUP BY 1, 2;
INSERT INTO hookrail.daily_totals (day, shard, agent, hook, outcome, decision, bucket, runs)
  SELECT d.day, d.machine % 16, d.agent, d.hook, d.outcome, d.decision, d.bucket, sum(d.runs) FROM hookrail.daily d GROUP BY 1, 2, 3, 4, 5, 6, 7;

INSERT INTO hookrail.daily_machines (day, machine, outcome, decision, bucket, runs)
  SELECT d.day, d.machine, d.outcome, d.decision, d.bucket, sum(d.runs) FROM hookrail.daily d GROUP BY 1, 2, 3, 4, 5;

INSERT INTO hookrail.daily_projects (day, shard, project, outcome, decision, bucket, runs)
  SELECT d.day, d.machine % 16, d.project, d.outcome, d.decision, d.bucket, sum(d.runs) FROM hookrail.daily d GROUP BY 1, 2, 3, 4, 5, 6;

INSERT INTO hookrail.daily_event_totals (day, shard, agent, verdict, bucket, events)
  SELECT d.day, d.machine % 16, d.agent, d.verdict, d.bucket, sum(d.events) FROM hookrail.daily_events d GROUP BY 1, 2, 3, 4, 5;

INSERT INTO hookrail.daily_event_machines (day, machine, verdict, events)
  SELECT d.day, d.machine, d.verdict, sum(d.events) FROM hookrail.daily_events d GROUP BY 1, 2, 3;

INSERT INTO hookrail.daily_event_projects (day, shard, project, verdict, events)
  SELECT d.day, d.machine % 16, d.project, d.verdict, sum(d.events) FROM hookrail.daily_events d GROUP BY 1, 2, 3, 4;

CREATE OR REPLACE FUNCTION hookrail.retire() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  oldest date := (SELECT d.first FROM hookrail.days() d);
  partition text;
  dropped int := 0;
BEGIN
  FOR partition IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'hookrail.records'::regclass AND c.relname < 'records_' || to_char(oldest, 'YYYYMMDD')
  LOOP
    EXECUTE format('DROP TABLE hookrail.%I', partition);
    dropped := dropped + 1;
  END LOOP;
  DELETE FROM hookrail.daily d WHERE d.day < oldest;
  DELETE FROM hookrail.daily_machines d WHERE d.day < oldest;
  DELETE FROM hookrail.daily_totals d WHERE d.day < oldest;
  DELETE FROM hookrail.daily_projects d WHERE d.day < oldest;
  DELETE FROM hookrail.daily_events d WHERE d.day < oldest;
  DELETE FROM hookrail.daily_event_totals d WHERE d.day < oldest;
  DELETE FROM hookrail.daily_event_machines d WHERE d.day < oldest;
  DELETE FROM hookrail.daily_event_projects d WHERE d.day < oldest;
  -- A clock that is wrong must not keep a session for ever, nor drop one that is new.
  DELETE FROM hookrail.sessions s WHERE s.last < oldest AND NOT EXISTS (
    SELECT 1 FROM hookrail.records r WHERE r.machine = s.machine AND r.session = s.session);
  RETURN dropped;
END $$;

GRANT SELECT ON hookrail.daily_totals, hookrail.daily_machines, hookrail.daily_projects, hookrail.daily_events, hookrail.daily_event_totals,
  hookrail.daily_event_machines, hookrail.daily_event_projects, hookrail.sessions TO hookrail_reader;
REVOKE ALL ON FUNCTION hookrail.verdict, hookrail.count_arrived FROM PUBLIC;
-- Whoever adds a row adds to the index of verdicts.
GRANT EXECUTE ON FUNCTION hookrail.verdict TO hookrail_writer, hookrail_reader;
