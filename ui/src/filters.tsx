/** The filter of a list. It stands in the address, so that it can be kept and sent. */
import { useEffect, useRef, useState } from "preact/hooks";
import { type Query, type State, VERDICTS, type Verdict } from "./api";
import { baseName, count } from "./format";
import { useGet } from "./parts";
import { address, go } from "./router";

const KEYS = ["session", "lane", "machine", "person", "project", "agent", "hook", "decision", "q"];

export function filterOf(query: URLSearchParams): Query {
  return Object.fromEntries(KEYS.filter((key) => query.has(key)).map((key) => [key, query.get(key) ?? ""]));
}

export function Filters({ query, decisions = VERDICTS }: { query: URLSearchParams; decisions?: Verdict[] }) {
  const state = useGet<State>("/api/state");
  // Projects and hooks may be new since the page was opened.
  useEffect(() => {
    const timer = setInterval(state.reload, 10_000);
    return () => clearInterval(timer);
  }, []);
  const facets = state.value?.facets;
  const chosen = (query.get("decision") ?? "").split(",").filter(Boolean);
  const toggle = (verdict: Verdict) => {
    const next = chosen.includes(verdict) ? chosen.filter((other) => other !== verdict) : [...chosen, verdict];
    go(address({ decision: next.join(",") }), true);
  };
  const isFiltered = KEYS.some((key) => query.has(key));
  return (
    <form class="filters" role="search" aria-label="Filter events" onSubmit={(event) => event.preventDefault()}>
      <Search query={query} />
      {facets?.machines !== undefined && <Choice label="Machine" name="machine" query={query} values={facets.machines} />}
      {facets?.people !== undefined && <Choice label="Person" name="person" query={query} values={facets.people} />}
      <Choice label="Project" name="project" query={query} values={facets?.projects} show={baseName} />
      <Choice label="Agent" name="agent" query={query} values={facets?.agents} />
      <Choice label="Hook" name="hook" query={query} values={facets?.hooks} />
      <div class="chips" role="group" aria-label="Decision">
        {decisions.map((verdict) => (
          <button
            type="button"
            key={verdict}
            class={`chip ${verdict}`}
            aria-pressed={chosen.includes(verdict)}
            onClick={() => toggle(verdict)}
          >
            {verdict}
          </button>
        ))}
      </div>
      {isFiltered && (
        <button type="button" class="plain" onClick={() => go(address(Object.fromEntries(KEYS.map((key) => [key, ""]))), true)}>
          Clear
        </button>
      )}
    </form>
  );
}

function Search({ query }: { query: URLSearchParams }) {
  const [text, setText] = useState(query.get("q") ?? "");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setText(query.get("q") ?? ""), [query.get("q")]);
  const type = (value: string) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => go(address({ q: value }), true), 120);
  };
  return (
    <label class="search">
      <span class="hidden">Search commands, paths and reasons</span>
      <input
        id="search"
        type="search"
        placeholder="Search commands, reasons  /"
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        autocomplete="off"
        spellcheck={false}
      />
    </label>
  );
}

interface ChoiceProps {
  label: string;
  name: string;
  query: URLSearchParams;
  values: Record<string, number> | undefined;
  show?: (value: string) => string;
}

function Choice({ label, name, query, values = {}, show = (value) => value }: ChoiceProps) {
  const now = query.get(name) ?? "";
  const known = Object.entries(values).sort(([, one], [, other]) => other - one);
  if (now !== "" && values[now] === undefined) known.unshift([now, 0]);
  return (
    <label class="choice">
      <span class="hidden">{label}</span>
      <select value={now} onChange={(event) => go(address({ [name]: event.currentTarget.value }), true)} data-set={now !== ""}>
        <option value="">{label}: all</option>
        {known.map(([value, events]) => (
          <option key={value} value={value}>
            {show(value)} ({count(events)})
          </option>
        ))}
      </select>
    </label>
  );
}
