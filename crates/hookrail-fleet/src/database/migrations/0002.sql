-- Partitions are made when they are needed and dropped when they are too old, by whoever ships first on a day.

CREATE TABLE hookrail.settings (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  retention_days int NOT NULL DEFAULT 90 CHECK (retention_days BETWEEN 1 AND 3650)
);
INSERT INTO hookrail.settings DEFAULT VALUES;

-- The days that records may have, by the server's clock.
CREATE FUNCTION hookrail.days(OUT first date, OUT today date) LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
  SELECT (now() AT TIME ZONE 'UTC')::date - retention_days, (now() AT TIME ZONE 'UTC')::date FROM hookrail.settings
$$;

-- Drops what is older than the retention. Returns how many days were dropped.
CREATE FUNCTION hookrail.retire() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  first date := (SELECT d.first FROM hookrail.days() d);
  partition text;
  dropped int := 0;
BEGIN
  FOR partition IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'hookrail.records'::regclass AND c.relname < 'records_' || to_char(first, 'YYYYMMDD')
  LOOP
    EXECUTE format('DROP TABLE hookrail.%I', partition);
    dropped := dropped + 1;
  END LOOP;
  DELETE FROM hookrail.daily d WHERE d.day < first;
  RETURN dropped;
END $$;

-- Makes the partitions of these days, as far as records may have them, and of tomorrow.
CREATE FUNCTION hookrail.ensure_days(wanted date[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  allowed record;
  missing date[];
  wanted_day date;
BEGIN
  SELECT * INTO allowed FROM hookrail.days();
  SELECT array_agg(DISTINCT w) INTO missing FROM unnest(wanted || ARRAY[allowed.today, allowed.today + 1]) w
    WHERE w BETWEEN allowed.first AND allowed.today + 1 AND to_regclass('hookrail.records_' || to_char(w, 'YYYYMMDD')) IS NULL;
  IF missing IS NULL THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('hookrail.ensure_days'));
  FOREACH wanted_day IN ARRAY missing LOOP
    EXECUTE format('CREATE TABLE IF NOT EXISTS hookrail.%I PARTITION OF hookrail.records FOR VALUES FROM (%L) TO (%L)',
      'records_' || to_char(wanted_day, 'YYYYMMDD'), wanted_day, wanted_day + 1);
  END LOOP;
  PERFORM hookrail.retire();
END $$;

GRANT SELECT ON hookrail.settings TO hookrail_reader;
REVOKE ALL ON FUNCTION hookrail.days, hookrail.retire, hookrail.ensure_days FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hookrail.days TO hookrail_writer, hookrail_reader;
GRANT EXECUTE ON FUNCTION hookrail.ensure_days TO hookrail_writer;
