/** What the agents of this machine do now: sessions as lanes, events as they happen. */
import { useEffect } from "preact/hooks";
import type { Lane, Session, Verdict } from "./api";
import { Detail } from "./detail";
import { EventList } from "./eventList";
import { useEvents } from "./events";
import { Filters, filterOf } from "./filters";
import { age, baseName, count, plural, shortId } from "./format";
import { Empty, Problem, useNow } from "./parts";
import { address, go, useRoute } from "./router";

/** A session without an event for so long is not active. */
const ACTIVE = 5 * 60 * 1000;

export function Live() {
  const { query } = useRoute();
  const events = useEvents(filterOf(query));
  const now = useNow();
  const record = query.get("record") || undefined;
  const session = events.sessions.find((session) => session.id === query.get("session"));
  const active = events.sessions.filter((session) => !session.ended && now - session.last < ACTIVE).length;
  useEffect(() => {
    document.title = `${active > 0 ? `(${active}) ` : ""}Live · hookrail`;
  }, [active]);
  const close = () => go(address({ record: "" }));
  return (
    <div class={`live ${record === undefined ? "" : "with-detail"}`}>
      <h1 class="hidden">Live</h1>
      <div class="toolbar">
        <Filters query={query} />
      </div>
      {events.trouble !== null && <Problem error={new Error(events.trouble)} />}
      <div class="columns">
        <Lanes sessions={events.sessions} chosen={query.get("session")} lane={query.get("lane")} now={now} />
        <section class="stream" aria-label="Events">
          <p class="status" role="status">
            <span class={`dot ${events.connected ? "on" : "off"}`} aria-hidden="true" />
            {!events.connected
              ? "The server is gone: run `hookrail ui` again"
              : !events.caughtUp
                ? `Reading the journal: ${count(events.total)} events`
                : `${count(events.matched ?? 0)} of ${plural(events.total, "event")} · ${plural(active, "active session")}`}
          </p>
          {session !== undefined && <Story session={session} lane={query.get("lane")} now={now} />}
          <EventList
            events={events}
            open={record}
            onOpen={(row) => go(address({ record: String(row.seq) }))}
            label="Events, the newest first"
            empty={events.total === 0 ? <Nothing /> : <NoMatch />}
          />
        </section>
        {record !== undefined && (
          <aside class="drawer" aria-label="Why">
            <Detail record={record} onClose={close} />
          </aside>
        )}
      </div>
    </div>
  );
}

function Nothing() {
  return (
    <Empty title="Nothing happened yet">
      <p>Every decision about an agent's tool call appears here the moment it is made.</p>
      <ol>
        <li>
          Put hookrail into your agent: <code>hookrail install claude</code>
        </li>
        <li>Start the agent and let it work.</li>
        <li>
          Or see a whole session in a minute: <code>hookrail demo</code>
        </li>
      </ol>
    </Empty>
  );
}

function NoMatch() {
  return (
    <Empty title="No event matches">
      <p>Text is searched in commands, paths, tools and reasons. Remove a part of the filter to see more.</p>
    </Empty>
  );
}

interface LanesProps {
  sessions: Session[];
  chosen: string | null;
  lane: string | null;
  now: number;
}

function Lanes({ sessions, chosen, lane, now }: LanesProps) {
  if (sessions.length === 0) return null;
  return (
    <nav class="lanes" aria-label="Sessions">
      {sessions.map((session) => (
        <div key={`${session.machine ?? ""}/${session.id}`} class={`session ${session.id === chosen ? "chosen" : ""}`}>
          <button
            type="button"
            class="head"
            aria-pressed={session.id === chosen}
            onClick={() => go(address({ session: session.id === chosen ? "" : session.id, lane: "", record: "" }))}
            aria-label={`Session of ${session.agent}${session.person === undefined ? "" : `, ${session.person} on ${session.machine}`} in ${baseName(session.project)}, ${plural(session.events, "event")}, ${age(session.last, now)}${session.ended ? ", ended" : ""}`}
          >
            <span class={`dot ${!session.ended && now - session.last < ACTIVE ? "on" : ""}`} />
            <b>{baseName(session.project) || "no project"}</b>
            <span class="agent">{session.person === undefined ? session.agent : `${session.agent} · ${session.person}`}</span>
            <span class="when">{session.ended ? "ended" : age(session.last, now)}</span>
          </button>
          {session.lanes.map((part) => (
            <button
              type="button"
              key={part.id}
              class={`strip ${part.id === "" ? "" : "sub"} ${session.id === chosen && lane === part.id ? "chosen" : ""}`}
              onClick={() => go(laneAddress(session, part))}
              aria-label={`${part.id === "" ? "main agent" : `sub-agent ${part.title || part.id}`}: ${spokenMarks(part)}`}
            >
              {part.id !== "" && <span class="name">{part.title || shortId(part.id)}</span>}
              <span class="ticks" aria-hidden="true">
                {part.marks.map(([seq, verdict]) => (
                  <i key={seq} class={verdict} />
                ))}
              </span>
            </button>
          ))}
        </div>
      ))}
    </nav>
  );
}

/** A sub-agent's strip shows its own events; the main one shows the session's. */
function laneAddress(session: Session, lane: Lane): string {
  const query = new URLSearchParams(location.search);
  query.set("session", session.id);
  if (lane.id === "") query.delete("lane");
  else query.set("lane", lane.id);
  query.delete("record");
  return `/live?${query}`;
}

function spokenMarks(lane: Lane): string {
  const counts = new Map<Verdict, number>();
  for (const [, verdict] of lane.marks) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return [...counts].map(([verdict, number]) => `${number} ${verdict}`).join(", ");
}

/** A session from its start to its end, in one line above its events. */
function Story({ session, lane, now }: { session: Session; lane: string | null; now: number }) {
  const part = session.lanes.find((candidate) => candidate.id === lane);
  const counts = session.counts;
  return (
    <div class="story">
      <div>
        <b>{baseName(session.project)}</b> · {session.agent}
        {session.machine !== undefined && ` · ${session.person} on ${session.machine}`} · <code title={session.id}>{shortId(session.id)}</code>
        {lane && <> · sub-agent {part?.title || shortId(lane)}</>}
      </div>
      <div>
        {plural(session.events, "event")} in {Math.max(1, Math.round((session.last - session.first) / 60_000))} min ·{" "}
        {counts.deny + counts.stop} denied · {counts.ask} asked ·{" "}
        {plural(session.lanes.length - 1, "sub-agent")} · {session.ended ? "ended" : age(session.last, now)}
      </div>
    </div>
  );
}
