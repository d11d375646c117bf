/** Small parts that every page uses. */
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { ApiError, type EventRow, type Query, type Verdict, get } from "./api";
import { past } from "./format";

const GLYPHS: Record<Verdict, string> = { none: "·", failed: "!", warned: "△", allow: "✓", ask: "?", deny: "✕", stop: "■" };

/** A decision: its word and a sign, so that colour is not all. */
export function Pill({ verdict, label }: { verdict: Verdict; label?: string }) {
  return (
    <span class={`pill ${verdict}`}>
      <span class="glyph" aria-hidden="true">
        {GLYPHS[verdict]}
      </span>
      {label ?? (verdict === "none" ? "none" : verdict)}
    </span>
  );
}

export function Subject({ row }: { row: EventRow }) {
  // What was allowed needs no pointing at.
  if (row.marked === undefined || row.verdict === "allow") return <>{row.subject || row.event}</>;
  const [before, named, after] = row.marked;
  return (
    <>
      {before}
      <mark class={row.verdict}>{named}</mark>
      {after}
    </>
  );
}

/** What an event is, in a sentence for those who do not see it. */
export function spoken(row: EventRow): string {
  const what = [row.tool || row.event, row.subject].filter(Boolean).join(" ");
  return `${past(row.verdict)}: ${what}. ${row.agent} in ${row.project}`;
}

/** An empty place that says what will be here and how to get it. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <svg viewBox="0 0 64 40" aria-hidden="true">
        <path d="M6 4v32M58 4v32" />
        <path d="M6 14h52M6 26h52" class="rail" />
      </svg>
      <h2>{title}</h2>
      <div>{children}</div>
    </div>
  );
}

export function Problem({ error }: { error: unknown }) {
  const hint = error instanceof ApiError ? error.hint : null;
  return (
    <div class="problem" role="alert">
      <strong>{error instanceof Error ? error.message : String(error)}</strong>
      {hint !== null && <div>{hint}</div>}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      {what} …
    </p>
  );
}

export function Panel(props: { title: string; note?: ComponentChildren; class?: string; children: ComponentChildren }) {
  return (
    <section class={`panel ${props.class ?? ""}`} aria-label={props.title}>
      <header>
        <h2>{props.title}</h2>
        {props.note !== undefined && <span class="note">{props.note}</span>}
      </header>
      {props.children}
    </section>
  );
}

interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  reload: () => void;
}

/** Asks the server; asks again when the question changes. */
export function useGet<T>(path: string | null, query: Query = {}): Loaded<T> {
  const [state, setState] = useState<{ value: T | undefined; error: unknown }>({ value: undefined, error: undefined });
  const [round, setRound] = useState(0);
  const key = JSON.stringify([path, query]);
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    get<T>(path, query, abort.signal)
      .then((value) => setState({ value, error: undefined }))
      .catch((error) => abort.signal.aborted || setState((old) => ({ value: old.value, error })));
    return () => abort.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((round) => round + 1), []);
  return { ...state, reload };
}

/** The time, for ages; it moves every few seconds. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function Code({ children, label }: { children: ComponentChildren; label?: string }) {
  return (
    <pre tabIndex={0} aria-label={label} role="region">
      <code>{children}</code>
    </pre>
  );
}

/** A number of a page's head, with what it means. */
export function Tile({ name, value, note, verdict }: { name: string; value: string; note: string; verdict?: Verdict }) {
  return (
    <div class={`tile ${verdict ?? ""}`}>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        <small>{note}</small>
      </dd>
    </div>
  );
}
