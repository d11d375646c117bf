/** What the guards did and what they cost, counted by the server. */
import { useEffect } from "preact/hooks";
import type { Counts, Doctor, Overview as Counted, Rules, State, Verdict, Verified } from "./api";
import { ChartPanel } from "./chart";
import { baseName, count, day, duration } from "./format";
import { Empty, Loading, Panel, Problem, Tile, useGet } from "./parts";
import { address, go, useRoute } from "./router";

const DAYS = [7, 14, 30, 90];

export function Overview() {
  const { query } = useRoute();
  const days = Number(query.get("days") ?? 14);
  const project = query.get("project") ?? "";
  const machine = query.get("machine") ?? "";
  const person = query.get("person") ?? "";
  const offset = -new Date().getTimezoneOffset();
  const { value, error, reload } = useGet<Counted>("/api/overview", { days, offset, project, machine, person });
  const state = useGet<State>("/api/state");
  useEffect(() => {
    document.title = "Overview · hookrail";
    const timer = setInterval(reload, 10_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="overview">
      <header class="page-head">
        <h1>Overview</h1>
        <div class="chips" role="group" aria-label="Days">
          {DAYS.map((number) => (
            <button type="button" key={number} class="chip" aria-pressed={number === days} onClick={() => go(address({ days: String(number) }), true)}>
              {number} days
            </button>
          ))}
        </div>
        <label class="choice">
          <span class="hidden">Project</span>
          <select value={project} onChange={(event) => go(address({ project: event.currentTarget.value }), true)} data-set={project !== ""}>
            <option value="">Project: all</option>
            {Object.keys(state.value?.facets.projects ?? {}).map((name) => (
              <option key={name} value={name}>
                {baseName(name)}
              </option>
            ))}
          </select>
        </label>
        {state.value?.facets.machines !== undefined && <Chosen label="Machine" name="machine" value={machine} values={state.value.facets.machines} />}
        {state.value?.facets.people !== undefined && <Chosen label="Person" name="person" value={person} values={state.value.facets.people} />}
      </header>
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? (
        <Loading what="Counting" />
      ) : value.events === 0 ? (
        <Empty title="Nothing to count yet">
          <p>
            Refusals, questions and approvals of the last {days} days are drawn here, by day, by rule and by project, with what they cost in time. Start an
            agent whose hooks call hookrail: <code>hookrail install claude</code>
          </p>
        </Empty>
      ) : (
        <Charts counted={value} days={days} />
      )}
      <div class="grid">
        <Health project={project} />
        <VerifyTable />
        <NeverHit project={project} />
      </div>
    </div>
  );
}

function Chosen({ label, name, value, values }: { label: string; name: string; value: string; values: Record<string, number> }) {
  return (
    <label class="choice">
      <span class="hidden">{label}</span>
      <select value={value} onChange={(event) => go(address({ [name]: event.currentTarget.value }), true)} data-set={value !== ""}>
        <option value="">{label}: all</option>
        {Object.keys(values).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

function Charts({ counted, days }: { counted: Counted; days: number }) {
  const { counts, latency, interruptions } = counted;
  const names = counted.days.map((one) => day(one.start));
  const series = (label: string, verdict: Verdict) => ({ label, colour: verdict, values: counted.days.map((one) => one[verdict]) });
  return (
    <>
      <dl class="tiles">
        <Tile name="events" value={count(counted.events)} note={`${count(counted.sessions)} sessions, ${days} days`} />
        <Tile name="denied" value={count(counts.deny + counts.stop)} verdict="deny" note={share(counts.deny + counts.stop, counted.events)} />
        <Tile name="asked" value={count(counts.ask)} verdict="ask" note={share(counts.ask, counted.events)} />
        <Tile name="approved" value={count(counts.allow)} verdict="allow" note={share(counts.allow, counted.events)} />
        <Tile name="interruptions a day" value={interruptions.average.toFixed(1)} note={`questions to you; ${interruptions.today} today`} />
        <Tile name="time per event" value={duration(latency.p50)} note={`p95 ${duration(latency.p95)}, p99 ${duration(latency.p99)}`} />
      </dl>
      <div class="grid">
        <ChartPanel title="Decisions by day" class="wide"
          label="Decisions by day"
          names={names}
          kind="stack"
          show={count}
          series={[series("denied", "deny"), series("stopped", "stop"), series("asked", "ask"), series("approved", "allow"), series("warned", "warned"), series("failed", "failed")]}
        />
        <ChartPanel title="Time that hooks take" note="per event, by day"
          label="Time that hooks take per event"
          names={names}
          kind="lines"
          show={duration}
          series={[
            { label: "half of all events (p50)", colour: "accent", values: counted.days.map((one) => one.p50) },
            { label: "95 of 100 (p95)", colour: "ask", values: counted.days.map((one) => one.p95) },
          ]}
        />
        <ChartPanel title="How long events take" note={`p50 ${duration(latency.p50)} · p90 ${duration(latency.p90)} · p95 ${duration(latency.p95)} · p99 ${duration(latency.p99)} · max ${duration(latency.max)}`}
          label="Events by the time that their hooks took"
          names={latency.histogram.map(([bound]) => `≤ ${duration(bound)}`)}
          kind="bars"
          show={count}
          series={[{ label: "events", colour: "accent", values: latency.histogram.map(([, events]) => events) }]}
        />
        <Panel title="By rule and hook" note="those that decided something">
          <Bars
            rows={counted.rules.slice(0, 12).map((rule) => ({ name: rule.hook, counts: rule, href: `/why?hook=${encodeURIComponent(rule.hook)}` }))}
            empty="No rule decided anything in this time."
          />
        </Panel>
        <Panel title="By project" note="refusals, questions, approvals">
          <Bars
            rows={counted.projects.slice(0, 12).map((project) => ({
              name: baseName(project.project) || "no project",
              title: project.project,
              counts: project,
              href: `/live?project=${encodeURIComponent(project.project)}`,
              note: `${count(project.events)} events`,
            }))}
            empty="No project yet."
          />
        </Panel>
        {counted.machines !== undefined && <Names title="By machine" name="machine" counted={counted.machines} />}
        {counted.people !== undefined && <Names title="By person" name="person" counted={counted.people} />}
        <Failing counted={counted} />
        <Slowest counted={counted} />
      </div>
    </>
  );
}

/** In a fleet: whose agents were refused something. */
function Names({ title, name, counted }: { title: string; name: string; counted: (Counts & { name: string; events: number })[] }) {
  const rows = counted.slice(0, 12).map((one) => ({
    name: one.name,
    counts: one,
    href: `/live?${name}=${encodeURIComponent(one.name)}`,
    note: `${count(one.events)} events`,
  }));
  return (
    <Panel title={title} note="refusals, questions, approvals">
      <Bars rows={rows} empty="Nothing yet." />
    </Panel>
  );
}

const share = (part: number, all: number) => (all === 0 ? "" : `${((100 * part) / all).toFixed(part / all < 0.1 ? 1 : 0)} % of events`);

const DRAWN: Verdict[] = ["deny", "stop", "ask", "allow", "warned", "failed"];

interface BarRow {
  name: string;
  title?: string;
  counts: Counts;
  href: string;
  note?: string;
}

/** Rows with a bar each, whose parts are decisions. */
function Bars({ rows, empty }: { rows: BarRow[]; empty: string }) {
  if (rows.length === 0) return <p class="note">{empty}</p>;
  const sum = (counts: Counts) => DRAWN.reduce((sum, verdict) => sum + counts[verdict], 0);
  const most = Math.max(1, ...rows.map((row) => sum(row.counts)));
  return (
    <ul class="bars">
      {rows.map((row) => (
        <li key={row.title ?? row.name}>
          <a href={row.href} onClick={(event) => (event.preventDefault(), go(row.href))} title={row.title ?? row.name}>
            <span class="name">{row.name}</span>
            <span class="bar" role="img" aria-label={DRAWN.filter((verdict) => row.counts[verdict] > 0).map((verdict) => `${row.counts[verdict]} ${verdict}`).join(", ") || "none"}>
              {DRAWN.map((verdict) => row.counts[verdict] > 0 && <i key={verdict} class={verdict} style={{ width: `${(100 * row.counts[verdict]) / most}%` }} />)}
            </span>
            <span class="number">{row.note ?? count(sum(row.counts))}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Failing({ counted }: { counted: Counted }) {
  const failing = counted.hooks.filter((hook) => hook.failed > 0).sort((one, other) => other.failed - one.failed);
  return (
    <Panel title="Hooks that fail">
      {failing.length === 0 ? (
        <p class="note good">No hook failed in this time.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">hook</th>
              <th scope="col" class="right">failed</th>
              <th scope="col" class="right">of runs</th>
            </tr>
          </thead>
          <tbody>
            {failing.slice(0, 10).map((hook) => (
              <tr key={hook.hook}>
                <th scope="row">{hook.hook}</th>
                <td class="right failed">{count(hook.failed)}</td>
                <td class="right">{count(hook.runs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function Slowest({ counted }: { counted: Counted }) {
  const slowest = [...counted.hooks].sort((one, other) => other.p95 - one.p95).slice(0, 8);
  return (
    <Panel title="Slowest hooks">
      <table>
        <thead>
          <tr>
            <th scope="col">hook</th>
            <th scope="col" class="right">runs</th>
            <th scope="col" class="right">p50</th>
            <th scope="col" class="right">p95</th>
            <th scope="col" class="right">p99</th>
          </tr>
        </thead>
        <tbody>
          {slowest.map((hook) => (
            <tr key={hook.hook}>
              <th scope="row">{hook.hook}</th>
              <td class="right">{count(hook.runs)}</td>
              <td class="right">{duration(hook.p50)}</td>
              <td class="right">{duration(hook.p95)}</td>
              <td class="right">{duration(hook.p99)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

const MARKS: Record<string, string> = { ok: "✓", warning: "!", error: "✕" };

const MOST_MACHINES = 200;

/** Of one machine only what is wrong; of a fleet every machine, those that need a look first. */
function shownChecks(area: Doctor["areas"][number]) {
  const wrong = area.checks.filter((check) => check.state !== "ok");
  const fine = area.checks.filter((check) => check.state === "ok");
  return area.area === "Machines" ? [...wrong, ...fine].slice(0, MOST_MACHINES) : wrong;
}

/** What `doctor` finds: above all agents whose hooks are missing or have drifted. */
function Health({ project }: { project: string }) {
  const { value, error } = useGet<Doctor>("/api/doctor", { project });
  const areas = (value?.areas ?? []).map((area) => ({ ...area, all: area.checks.length, checks: shownChecks(area) }));
  const found = areas.filter((area) => area.checks.length > 0);
  const machines = areas.find((area) => area.area === "Machines");
  const note = machines === undefined ? `${value?.errors} wrong, ${value?.warnings} to look at` : `${value?.warnings} of ${machines.all} to look at`;
  return (
    <Panel title={machines === undefined ? "Doctor" : "Machines"} note={value === undefined ? "" : note} class="wide">
      {error !== undefined && <Problem error={error} />}
      {value === undefined && error === undefined && <Loading what="Examining agents, entries, trust and state" />}
      {value !== undefined && found.length === 0 && <p class="note good">Every agent's hooks are installed as they should be.</p>}
      <ul class="checks">
        {found.flatMap((area) =>
          area.checks.map((check, index) => (
            <li key={`${area.area}-${index}`} class={check.state}>
              <span class="mark" aria-label={check.state}>
                {MARKS[check.state] ?? "·"}
              </span>
              <div>
                {area !== machines && <b>{area.area}: </b>}
                {check.what}
                {check.why !== null && <p>{check.why}</p>}
                {check.fix !== null && <code>{check.fix}</code>}
              </div>
            </li>
          )),
        )}
      </ul>
      {machines !== undefined && machines.all > machines.checks.length && <p class="note">{machines.all - machines.checks.length} more are in order.</p>}
    </Panel>
  );
}

/** What each agent does with the answers of hooks, as `verify` found. */
function VerifyTable() {
  const { value, error } = useGet<Verified>("/api/verify");
  const agents = Object.entries(value?.agents ?? {});
  const surfaces = [...new Set(agents.flatMap(([, agent]) => agent.surfaces.map((surface) => surface.surface)))];
  return (
    <Panel title="Verified agents" note="what each agent does with the answers of hooks" class="wide">
      {error !== undefined && <Problem error={error} />}
      {value !== undefined && agents.length === 0 && (
        <p class="note">
          No agent was tried yet. <code>hookrail verify</code> proves on your machine which answers each agent honours.
        </p>
      )}
      {agents.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Verified agents">
          <table class="verify">
            <thead>
              <tr>
                <th scope="col">agent</th>
                {surfaces.map((surface) => (
                  <th scope="col" key={surface}>
                    {surface}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {agents.map(([name, agent]) => (
                <tr key={name}>
                  <th scope="row">
                    {agent.title} {agent.version ?? ""}
                    <small>{day(agent.since)}</small>
                  </th>
                  {surfaces.map((surface) => {
                    const found = agent.surfaces.find((one) => one.surface === surface);
                    return (
                      <td key={surface} class={found?.result ?? ""} title={found?.note ?? ""}>
                        {found?.result ?? ""}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function NeverHit({ project }: { project: string }) {
  const { value, error } = useGet<Rules>("/api/rules", { project });
  const never = (value?.rules ?? []).filter((rule) => rule.hits === 0 && rule.decision !== null);
  const own = never.filter((rule) => rule.pack === null);
  const show = (id: string) => `/rules?id=${encodeURIComponent(id)}`;
  return (
    <Panel title="Rules never hit" note={value === undefined ? "" : `${never.length} of ${value.rules.length}`} class="wide">
      {error !== undefined && <Problem error={error} />}
      <p class="note">
        {own.length === 0
          ? "Every rule of your own files has held at least once, or there is none. Those below come with pack `safety`."
          : "A rule of your own that never holds may be misspelled, or shadowed by one that decides first."}
      </p>
      <ul class="tags">
        {[...own, ...never.filter((rule) => rule.pack !== null)].slice(0, 60).map((rule) => (
          <li key={`${rule.layer}-${rule.id}`}>
            <a class={`tag ${rule.pack === null ? "own" : ""}`} href={show(rule.id)} onClick={(event) => (event.preventDefault(), go(show(rule.id)))}>
              {rule.id}
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
