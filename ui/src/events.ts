/** The events that match a filter: loaded where they are looked at, and growing as the journal does. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type EventRow, type LiveUpdate, type Query, type Session, get, queryString } from "./api";

/** So many events are asked for at once. */
const PAGE = 100;
/** More pages than this are forgotten, the oldest first. */
const KEPT_PAGES = 60;

export interface Events {
  /** How many events match; undefined until the server said so. */
  matched: number | undefined;
  total: number;
  sessions: Session[];
  caughtUp: boolean;
  trouble: string | null;
  connected: boolean;
  /** The event at a place, counted from the oldest; undefined until it is loaded. */
  at(place: number): EventRow | undefined;
  /** Loads what stands between two places. */
  want(from: number, to: number): void;
}

class Pages {
  private rows = new Map<number, EventRow>();
  private asked = new Map<number, AbortController>();
  constructor(
    private query: Query,
    private changed: () => void,
  ) {}

  at(place: number) {
    return this.rows.get(place);
  }

  put(from: number, rows: EventRow[]) {
    rows.forEach((row, index) => this.rows.set(from + index, row));
  }

  want(from: number, to: number) {
    for (let page = Math.floor(from / PAGE); page <= Math.floor(Math.max(from, to - 1) / PAGE); page++) {
      if (this.asked.has(page) || this.isLoaded(page, from, to)) continue;
      const abort = new AbortController();
      this.asked.set(page, abort);
      get<{ from: number; rows: EventRow[] }>("/api/events", { ...this.query, from: page * PAGE, count: PAGE }, abort.signal)
        .then((answer) => {
          this.put(answer.from, answer.rows);
          this.forget();
          this.changed();
        })
        .catch(() => {})
        .finally(() => this.asked.delete(page));
    }
  }

  close() {
    for (const abort of this.asked.values()) abort.abort();
  }

  private isLoaded(page: number, from: number, to: number) {
    const [begin, end] = [Math.max(from, page * PAGE), Math.min(to, (page + 1) * PAGE)];
    for (let place = begin; place < end; place++) if (!this.rows.has(place)) return false;
    return true;
  }

  private forget() {
    for (const place of this.rows.keys()) {
      if (this.rows.size <= PAGE * KEPT_PAGES) return;
      this.rows.delete(place);
    }
  }
}

const NOTHING = { total: 0, matched: undefined as number | undefined, sessions: [] as Session[], caughtUp: false, trouble: null as string | null };

export function useEvents(query: Query): Events {
  const key = queryString(query);
  const [state, setState] = useState(NOTHING);
  const [connected, setConnected] = useState(true);
  const [, redraw] = useState(0);
  const pages = useRef<Pages>(undefined as unknown as Pages);
  pages.current = useMemo(() => new Pages(query, () => redraw((round) => round + 1)), [key]);

  useEffect(() => {
    const own = pages.current;
    setState((old) => ({ ...old, matched: undefined }));
    const source = new EventSource(key === "" ? "/api/live" : `/api/live?${key}`);
    source.onopen = () => setConnected(true);
    source.onerror = () => setConnected(false);
    source.onmessage = (message) => {
      const update = JSON.parse(message.data) as LiveUpdate;
      own.put(update.from, update.rows);
      setState({
        total: update.total,
        matched: update.matched,
        sessions: update.sessions,
        caughtUp: update.caught_up,
        trouble: update.trouble,
      });
    };
    return () => {
      source.close();
      own.close();
    };
  }, [key]);

  const at = useCallback((place: number) => pages.current.at(place), []);
  const want = useCallback((from: number, to: number) => pages.current.want(from, to), []);
  return { ...state, connected, at, want };
}
