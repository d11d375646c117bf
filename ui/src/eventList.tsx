/** A list of any length, of which only what is visible is in the document. The newest event stands at the top. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { EventRow } from "./api";
import type { Events } from "./events";
import { baseName, count, duration, timeOrDay } from "./format";
import { Pill, Subject, spoken } from "./parts";

const ROW = 46;
/** Rows above and below what is visible, so that scrolling shows no gaps. */
const MARGIN = 12;
/** Browsers cannot lay out a document that is higher; older events are found with a filter. */
const MOST = 250_000;

interface Props {
  events: Events;
  open: string | undefined;
  onOpen: (row: EventRow) => void;
  label: string;
  empty: preact.ComponentChildren;
}

export function EventList({ events, open, onOpen, label, empty }: Props) {
  const matched = events.matched ?? 0;
  const length = Math.min(matched, MOST);
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [selected, setSelected] = useState(0);
  const known = useRef(length);
  // Keys may come faster than the list is drawn again.
  const latest = useRef(selected);
  latest.current = selected;
  // Where Enter was pressed before the event had arrived: it opens when it does.
  const awaited = useRef<number | undefined>(undefined);

  // Whoever looks at older events goes on looking at them when new ones come.
  useLayoutEffect(() => {
    const grown = length - known.current;
    known.current = length;
    const list = box.current;
    if (grown > 0 && list !== null && list.scrollTop > ROW) list.scrollTop += grown * ROW;
    if (grown > 0 && selected > 0) setSelected((selected) => selected + grown);
    if (grown < 0) setSelected(0);
  }, [length]);

  useEffect(() => {
    const list = box.current;
    if (list === null) return;
    const measure = () => setView({ top: list.scrollTop, height: list.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(list);
    list.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      list.removeEventListener("scroll", measure);
    };
  }, [length === 0]);

  const first = Math.max(0, Math.floor(view.top / ROW) - MARGIN);
  const last = Math.min(length, Math.ceil((view.top + view.height) / ROW) + MARGIN);
  const placeOf = (index: number) => matched - 1 - index;
  const openRow = (row: EventRow) => {
    awaited.current = undefined;
    onOpen(row);
  };
  useEffect(() => {
    if (last > first) events.want(placeOf(last - 1), placeOf(first) + 1);
    const row = awaited.current === undefined ? undefined : events.at(awaited.current);
    if (row !== undefined) openRow(row);
  });

  if (events.matched === undefined) return <div class="events" aria-busy="true" />;
  if (length === 0) return <div class="events">{empty}</div>;

  const choose = (index: number) => {
    const next = Math.max(0, Math.min(length - 1, index));
    setSelected(next);
    latest.current = next;
    awaited.current = undefined;
    const list = box.current;
    if (list === null) return;
    if (next * ROW < list.scrollTop) list.scrollTop = next * ROW;
    else if ((next + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (next + 1) * ROW - list.clientHeight;
  };
  const page = Math.max(1, Math.floor(view.height / ROW) - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page };
    const step = steps[event.key];
    if (step !== undefined) choose(latest.current + step);
    else if (event.key === "Home") choose(0);
    else if (event.key === "End") choose(length - 1);
    else if (event.key === "Enter" || event.key === " ") {
      const row = events.at(placeOf(latest.current));
      if (row !== undefined) openRow(row);
      else awaited.current = placeOf(latest.current);
    } else return;
    event.preventDefault();
  };

  const rows = [];
  for (let index = first; index < last; index++) {
    const row = events.at(placeOf(index));
    rows.push(
      <div
        key={row?.seq ?? `at-${placeOf(index)}`}
        id={`event-${placeOf(index)}`}
        role="option"
        aria-selected={index === selected}
        aria-setsize={length}
        aria-posinset={index + 1}
        aria-label={row === undefined ? "loading" : spoken(row)}
        class={`event ${index === selected ? "selected" : ""} ${row !== undefined && String(row.seq) === open ? "open" : ""}`}
        style={{ transform: `translateY(${index * ROW}px)` }}
        onClick={() => {
          setSelected(index);
          if (row !== undefined) openRow(row);
          else awaited.current = placeOf(index);
        }}
      >
        {row === undefined ? <span class="ghost" /> : <Line row={row} />}
      </div>,
    );
  }
  return (
    <>
      <div
        class="events"
        ref={box}
        role="listbox"
        tabIndex={0}
        aria-label={`${label}, ${count(matched)}`}
        aria-activedescendant={`event-${placeOf(selected)}`}
        onKeyDown={onKeyDown}
        data-testid="events"
      >
        <div class="track" style={{ height: `${length * ROW}px` }}>
          {rows}
        </div>
      </div>
      {matched > MOST && <p class="note">The newest {count(MOST)} are listed; a filter finds older ones.</p>}
    </>
  );
}

function Line({ row }: { row: EventRow }) {
  const objecting = row.runs.find((run) => run.verdict === row.verdict && row.verdict !== "none");
  return (
    <>
      <time dateTime={new Date(row.ts).toISOString()}>{timeOrDay(row.ts)}</time>
      <Pill verdict={row.verdict} />
      <span class="what">
        <span class="line">
          <b>{row.tool || row.event}</b> <code>{row.tool ? <Subject row={row} /> : row.subject}</code>
        </span>
        <span class="by">
          {row.agent} · {baseName(row.project)}
          {row.lane !== "" && ` · sub-agent ${row.lane.slice(0, 12)}`}
          {objecting !== undefined && <span class="hook"> · {objecting.hook}</span>}
        </span>
      </span>
      <span class="took" title={row.runs.map((run) => `${run.hook}: ${duration(run.micros)}`).join("\n")}>
        {duration(row.micros)}
        <small>
          {row.runs.length} hook{row.runs.length === 1 ? "" : "s"}
        </small>
      </span>
    </>
  );
}
