/** What a configuration would have done to past sessions: the report of `hookrail backtest`. */
import { useEffect, useState } from "preact/hooks";
import { type Verdict, post } from "./api";
import { ChartPanel } from "./chart";
import { count, plural, verdictOf } from "./format";
import { Empty, Loading, Panel, Pill, Problem, Tile, useGet } from "./parts";
import { go } from "./router";

interface Decisions {
  deny: number;
  ask: number;
  allow: number;
  none: number;
}

interface JudgedCall {
  call: string;
  agent: string;
  project: string;
  time: string;
  tool: string;
  subject: string;
  now: string;
  then: string;
  rules: string[];
  reason: string | null;
  effect: string | null;
  may_differ: boolean;
  cannot_ask: boolean;
  times: number;
}

export interface Report {
  made: string;
  configuration: string;
  complete: boolean;
  history: {
    sessions: number;
    calls: number;
    of_subagents: number;
    files: number;
    bytes: number;
    first: string | null;
    last: string | null;
    days: number;
    projects: number;
    may_differ: number;
  };
  decisions: Decisions;
  score: {
    approved: number;
    approved_denied: number;
    approved_asked: number;
    approved_allowed: number;
    refused: number;
    refused_stopped: number;
    refused_allowed: number;
    ran: number;
    ran_denied: number;
  };
  interruptions: { before: number; after: number; before_per_day: number; after_per_day: number };
  agents: { agent: string; title: string; files: number; sessions: number; decisions: Decisions; notes_approvals: boolean }[];
  days: { day: string; decisions: Decisions; asked_then: number; asked_now: number }[];
  rules: {
    rule: string;
    calls: number;
    said: Decisions;
    withheld: boolean;
    approved_then: number;
    refused_then: number;
    example: JudgedCall | null;
  }[];
  projects: { project: string; decisions: Decisions; asked_then: number }[];
  worst: JudgedCall[];
  worth_a_look: JudgedCall[];
  problems: { agent: string; kind: string; count: number; examples: string[] }[];
  not_started: { name: string; count: number }[];
}

interface BacktestState {
  running: boolean;
  report: Report | null;
  error: string | null;
}

export function Backtest() {
  const { value, error, reload } = useGet<BacktestState>("/api/backtest");
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    document.title = "Backtest · hookrail";
  }, []);
  useEffect(() => {
    if (value?.running !== true) return;
    const timer = setTimeout(reload, 700);
    return () => clearTimeout(timer);
  }, [value]);
  const run = () => post("/api/backtest", {}).then(reload).catch(setProblem);
  const report = value?.report ?? null;
  const failed = error ?? problem ?? (value?.error ? new Error(value.error) : undefined);
  return (
    <div class="backtest">
      <header class="page-head">
        <h1>Backtest</h1>
        <button type="button" class="primary" onClick={run} disabled={value === undefined || value.running} data-testid="run">
          {value?.running ? "Running …" : report === null ? "Run a backtest" : "Run again"}
        </button>
        {report !== null && (
          <span class="note">
            {report.configuration}, made {report.made.replace("T", " ").slice(0, 16)}
            {report.complete ? "" : ", interrupted"}
          </span>
        )}
      </header>
      {failed !== undefined && <Problem error={failed} />}
      {value?.running && <Loading what="Deciding past calls again, with your present configuration" />}
      {report === null && value?.running === false && (
        <Empty title="What would these rules have done?">
          <p>
            A backtest reads the transcripts that your agents keep and decides every call again with your present configuration: what it would have refused, how
            often it would have asked you, and what you approved then.
          </p>
          <p>
            It only reads and starts nothing. The same in a terminal, and against another file: <code>hookrail backtest</code>
          </p>
        </Empty>
      )}
      {report !== null && <Shown report={report} />}
    </div>
  );
}

const DECIDED: { name: keyof Decisions; label: string; verdict: Verdict }[] = [
  { name: "deny", label: "refused", verdict: "deny" },
  { name: "ask", label: "asked", verdict: "ask" },
  { name: "allow", label: "approved", verdict: "allow" },
];

function Shown({ report }: { report: Report }) {
  const { history, decisions, score, interruptions } = report;
  const days = report.days.map((one) => one.day.slice(5));
  return (
    <>
      <dl class="tiles">
        <Tile name="calls" value={count(history.calls)} note={`${plural(history.sessions, "session")}, ${plural(history.days, "day")}`} />
        <Tile name="would be refused" value={count(decisions.deny)} verdict="deny" note={`${count(score.ran_denied)} of them ran without a question then`} />
        <Tile name="would be asked" value={count(decisions.ask)} verdict="ask" note={`${interruptions.after_per_day.toFixed(1)} a day; then ${interruptions.before_per_day.toFixed(1)}`} />
        <Tile name="would be approved" value={count(decisions.allow)} verdict="allow" note="without a question" />
        <Tile name="you approved, now refused" value={count(score.approved_denied)} note={`of ${count(score.approved)} approvals`} />
        <Tile name="you refused, now stopped" value={count(score.refused_stopped)} note={`of ${count(score.refused)} refusals`} />
      </dl>
      <div class="grid">
        {report.days.length > 0 && (
          <>
            <ChartPanel title="Decisions by day" note="without calls that no rule applies to"
              label="Decisions by day"
              names={days}
              kind="stack"
              show={count}
              series={DECIDED.map(({ name, label, verdict }) => ({ label, colour: verdict, values: report.days.map((one) => one.decisions[name]) }))}
            />
            <ChartPanel title="Questions a day" note="then, and with this configuration"
              label="Questions to you by day"
              names={days}
              kind="columns"
              show={count}
              series={[
                { label: "then", colour: "none", values: report.days.map((one) => one.asked_then) },
                { label: "now", colour: "ask", values: report.days.map((one) => one.asked_now) },
              ]}
            />
          </>
        )}
        <Panel title="Rules" note="what each said about past calls" class="wide">
          <RuleTable report={report} />
        </Panel>
        <Panel title="Worth a look" note="the most doubtful first" class="wide">
          <Calls calls={report.worth_a_look} empty="No decision looks doubtful." />
        </Panel>
        <Panel title="What would have done most harm" note="and would be refused" class="wide">
          <Calls calls={report.worst} empty="No call would be refused." />
        </Panel>
        <Panel title="Agents" class="wide">
          <div class="scroll" tabIndex={0} role="region" aria-label="Agents">
            <table>
              <thead>
                <tr>
                  <th scope="col">agent</th>
                  <th scope="col" class="right">files</th>
                  <th scope="col" class="right">sessions</th>
                  <th scope="col" class="right">refused</th>
                  <th scope="col" class="right">asked</th>
                  <th scope="col">tells approvals</th>
                </tr>
              </thead>
              <tbody>
                {report.agents.map((agent) => (
                  <tr key={agent.agent}>
                    <th scope="row">{agent.title}</th>
                    <td class="right">{count(agent.files)}</td>
                    <td class="right">{count(agent.sessions)}</td>
                    <td class="right">{count(agent.decisions.deny)}</td>
                    <td class="right">{count(agent.decisions.ask)}</td>
                    <td>{agent.notes_approvals ? "yes" : "no"}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {history.may_differ > 0 && (
            <p class="note">{plural(history.may_differ, "decision")} rest on files as they are today and may have been others then.</p>
          )}
          {report.not_started.map((hook) => (
            <p class="note" key={hook.name}>
              {hook.name} would have been asked {count(hook.count)} times; commands are not started here.
            </p>
          ))}
          {report.problems.map((problem) => (
            <p class="note" key={`${problem.agent}-${problem.kind}`}>
              {problem.agent}: {problem.kind.replace(/_/g, " ")}, {count(problem.count)} times{problem.examples[0] !== undefined ? `, such as ${problem.examples[0]}` : ""}
            </p>
          ))}
        </Panel>
      </div>
    </>
  );
}

function RuleTable({ report }: { report: Report }) {
  if (report.rules.length === 0) return <p class="note">No rule had an opinion on any call.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Rules">
      <table>
        <thead>
          <tr>
            <th scope="col">rule or hook</th>
            <th scope="col" class="right">refused</th>
            <th scope="col" class="right">asked</th>
            <th scope="col" class="right">approved</th>
            <th scope="col" class="right">you approved then</th>
            <th scope="col" class="right">you refused then</th>
            <th scope="col">for example</th>
          </tr>
        </thead>
        <tbody>
          {report.rules.slice(0, 30).map((rule) => (
            <tr key={rule.rule}>
              <th scope="row">
                <a href={`/rules?id=${encodeURIComponent(rule.rule)}`} onClick={(event) => (event.preventDefault(), go(`/rules?id=${encodeURIComponent(rule.rule.replace(/^rule\//, ""))}`))}>
                  {rule.rule}
                </a>{" "}
                {rule.withheld && <span class="tag">withheld</span>}
              </th>
              <td class="right">{count(rule.said.deny)}</td>
              <td class="right">{count(rule.said.ask)}</td>
              <td class="right">{count(rule.said.allow)}</td>
              <td class="right">{count(rule.approved_then)}</td>
              <td class="right">{count(rule.refused_then)}</td>
              <td class="example">
                <code>{rule.example?.subject ?? ""}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Calls({ calls, empty }: { calls: JudgedCall[]; empty: string }) {
  const [shown, setShown] = useState(8);
  if (calls.length === 0) return <p class="note good">{empty}</p>;
  return (
    <>
      <ul class="calls">
        {calls.slice(0, shown).map((call) => (
          <li key={call.call}>
            <Pill verdict={verdictOf(call.now)} label={call.now} />
            <div>
              <code>{call.subject || call.tool}</code>
              <small>
                {call.tool} · {call.agent} · {call.project.split("/").pop()} · {call.time.slice(0, 10)} · then {call.then}
                {call.times > 1 ? ` · ${count(call.times)} times` : ""}
                {call.effect !== null ? ` · ${call.effect}` : ""}
                {call.rules.length > 0 ? ` · ${call.rules.join(", ")}` : ""}
                {call.may_differ ? " · files may have been others then" : ""}
              </small>
            </div>
          </li>
        ))}
      </ul>
      {calls.length > shown && (
        <button type="button" class="plain" onClick={() => setShown(calls.length)}>
          {count(calls.length - shown)} more
        </button>
      )}
    </>
  );
}
