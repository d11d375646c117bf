/** One event: what the journal has, and what `hookrail explain` says about it now. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Compared, EventRow, Explanation, JournalRecord, RecordId } from "./api";
import { Allow } from "./allow";
import { duration, moment, sliceBytes, verdictOf } from "./format";
import { Code, Loading, Panel, Pill, Problem, Subject, useGet } from "./parts";
import { address, go } from "./router";

interface Recorded {
  row: EventRow;
  records: JournalRecord[];
}

export function Detail({ record, onClose }: { record: string; onClose?: () => void }) {
  const { value, error } = useGet<Recorded>("/api/event", { record });
  const [allowing, setAllowing] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => setAllowing(false), [record]);
  useEffect(() => heading.current?.focus(), [value?.row.seq]);
  if (error !== undefined) return <Problem error={error} />;
  if (value === undefined || !value.records.some((run) => String(run.seq) === record)) return <Loading what="Reading the journal" />;
  const { row, records } = value;
  const refusal = records.find((run) => run.extra?.rule !== undefined && ["ask", "deny", "stop", "warned"].includes(verdictOf(run.decision ?? wordOf(run))));
  return (
    <article class="detail" data-testid="detail">
      <header>
        <Pill verdict={row.verdict} />
        <h2 tabIndex={-1} ref={heading}>
          {row.tool || row.event}
        </h2>
        <span class="spacer" />
        {onClose !== undefined && (
          <button type="button" class="plain" onClick={onClose} aria-label="Close (Esc)">
            ✕
          </button>
        )}
      </header>
      {row.subject !== "" && (
        <Code label="What the call does">
          <Subject row={row} />
        </Code>
      )}
      {row.reason !== "" && <p class={`reason ${row.verdict}`}>{firstLine(row.reason)}</p>}
      <dl class="facts">
        <dt>When</dt>
        <dd>{moment(row.ts)}</dd>
        <dt>Event</dt>
        <dd>{row.event}</dd>
        <dt>Agent</dt>
        <dd>
          {row.agent}
          {row.lane !== "" && ` (sub-agent ${row.lane})`}
        </dd>
        <dt>Session</dt>
        <dd>
          <a href={`/live?session=${encodeURIComponent(row.session)}`} onClick={follow}>
            {row.session}
          </a>
        </dd>
        <dt>Project</dt>
        <dd>{row.project || "unknown"}</dd>
        {row.machine !== undefined && (
          <>
            <dt>Machine</dt>
            <dd>
              {row.machine}, {row.person}
            </dd>
          </>
        )}
        <dt>Record</dt>
        <dd>{row.decisive}</dd>
      </dl>
      {refusal !== undefined && row.machine === undefined && (
        <div class="actions">
          <button type="button" class="primary" onClick={() => setAllowing(true)} data-testid="wrong">
            This was wrong …
          </button>
          <span class="note">shows the narrowest exception; nothing is written before you confirm</span>
        </div>
      )}
      {allowing && refusal !== undefined && <Allow record={refusal.seq} onClose={() => setAllowing(false)} />}
      <Runs records={records} />
      <Explained record={row.seq} row={row} />
      <Panel title="Event" note="as the agent sent it, without secrets">
        <details>
          <summary>JSON</summary>
          <Code label="The event">{JSON.stringify(records[0]?.input ?? null, null, 2)}</Code>
        </details>
      </Panel>
    </article>
  );
}

const wordOf = (run: JournalRecord) => (run.outcome === "blocked" ? "deny" : run.outcome);
const firstLine = (text: string) => text.split("\n")[0];

function follow(event: MouseEvent) {
  event.preventDefault();
  go((event.currentTarget as HTMLAnchorElement).getAttribute("href") ?? "/");
}

function Runs({ records }: { records: JournalRecord[] }) {
  const longest = Math.max(1, ...records.map((run) => run.duration_us));
  return (
    <Panel title="Hooks that looked" note={`${records.length} in the journal`}>
      <ul class="runs">
        {records.map((run) => (
          <li key={run.seq}>
            <div class="run">
              <Pill verdict={verdictOf(run.decision ?? wordOf(run))} label={run.outcome === "skipped" ? "skipped" : (run.decision === "block" ? "deny" : run.decision) ?? run.outcome} />
              <span class="hook">{run.hook}</span>
              <span class="time">
                <meter min={0} max={longest} value={run.duration_us} aria-label={`took ${duration(run.duration_us)}`} />
                {duration(run.duration_us)}
              </span>
            </div>
            <div class="source">
              {run.source} · {run.kind}
            </div>
            {run.reason !== undefined && (
              <pre class="said" tabIndex={0} role="region" aria-label={`What ${run.hook} said`}>
                {run.reason}
              </pre>
            )}
            {run.error !== undefined && <p class="said failed">{run.error}</p>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Explained({ record, row }: { record: RecordId; row: EventRow }) {
  const { value, error } = useGet<Explanation>("/api/explain", { record });
  if (error !== undefined) {
    return (
      <Panel title="Decided again">
        <Problem error={error} />
      </Panel>
    );
  }
  if (value === undefined) return <Loading what="Deciding again" />;
  return (
    <>
      <Understood told={value} row={row} />
      <Plan told={value} />
      <Others record={record} row={row} now={value} />
      <Panel title="Answer" note={`what ${value.agent} would get, exit code ${value.answer.exit_code}`}>
        <details>
          <summary>stdout and stderr</summary>
          <Code label="The answer">{[value.answer.stdout, value.answer.stderr].filter(Boolean).join("\n") || "nothing"}</Code>
        </details>
      </Panel>
    </>
  );
}

function Understood({ told, row }: { told: Explanation; row: EventRow }) {
  const [chosen, setChosen] = useState<number | undefined>();
  const effects = told.effects ?? [];
  const gaps = told.gaps ?? [];
  if (effects.length === 0 && gaps.length === 0) return null;
  const command = told.kind === "shell" ? (told.event.about ?? "") : "";
  const spans = effects.flatMap((effect, index) => (effect.span !== undefined && (chosen === undefined || chosen === index) ? [effect.span] : []));
  return (
    <Panel title="What it would do" note={`${effects.length} effect${effects.length === 1 ? "" : "s"}`}>
      {command !== "" && spans.length > 0 && (
        <Code label="The command, with the parts that have an effect underlined">
          {sliceBytes(command, spans).map((part) => (part.marked ? <mark class={row.verdict}>{part.text}</mark> : part.text))}
        </Code>
      )}
      <ul class="effects">
        {effects.map((effect, index) => (
          <li
            key={index}
            onMouseEnter={() => setChosen(index)}
            onMouseLeave={() => setChosen(undefined)}
          >
            <b>{effect.act}</b>
            <span>{effect.path ?? effect.url ?? effect.host ?? effect.branch ?? effect.package ?? effect.target ?? effect.program ?? ""}</span>
            <small>
              {effect.place}
              {effect.sure !== "certain" && effect.sure !== "yes" ? `, ${effect.sure}` : ""}
            </small>
          </li>
        ))}
        {gaps.map((gap, index) => (
          <li key={`gap-${index}`} class="gap">
            <b>gap</b>
            <span>{gap.why}</span>
            <small>not understood</small>
          </li>
        ))}
      </ul>
      {(told.rules ?? []).length > 0 && (
        <p class="matching">
          Rules that match:{" "}
          {(told.rules ?? []).map((rule) => (
            <a key={rule.rule} href={`/rules?id=${encodeURIComponent(rule.rule.replace(/^rule\//, ""))}`} onClick={follow} class="tag">
              {rule.rule.replace(/^rule\//, "")} → {rule.decision}
            </a>
          ))}
        </p>
      )}
    </Panel>
  );
}

const FATES: Record<string, string> = {
  not_matched: "matcher says no",
  duplicate: "same command twice",
  not_concerned: "not concerned",
  other_event: "other events",
  off: "off",
  not_asked: "not asked for",
  skipped: "not run here",
  not_reached: "not reached",
};

function Plan({ told }: { told: Explanation }) {
  const planned = told.hooks.filter((hook) => hook.run !== undefined);
  const others = told.hooks.filter((hook) => hook.run === undefined);
  const byFate = new Map<string, string[]>();
  for (const hook of others) byFate.set(hook.fate, [...(byFate.get(hook.fate) ?? []), hook.hook]);
  return (
    <Panel title="Plan and merge" note={`decided again now: ${told.verdict.decision === "block" ? "deny" : told.verdict.decision}, in ${duration(told.times.total)}`}>
      {told.complaints.map((complaint) => (
        <p key={complaint} class="said failed">
          {complaint}
        </p>
      ))}
      <ol class="plan">
        {planned.map((hook, index) => (
          <li key={`${hook.hook}-${index}`}>
            <Pill verdict={verdictOf(hook.run?.decision)} label={hook.run?.withheld !== undefined ? "would object" : undefined as never} />
            <span class="hook">{hook.hook}</span>
            {hook.mode !== "enforce" && <span class="tag">{hook.mode}</span>}
            <span class="source">{hook.source}</span>
          </li>
        ))}
        {planned.length === 0 && <li class="note">no hook applies to this event now</li>}
      </ol>
      {told.merge.length > 0 && <Ladder told={told} />}
      {others.length > 0 && (
        <details>
          <summary>{others.length} hooks that do not apply</summary>
          <dl class="facts">
            {[...byFate].map(([fate, hooks]) => (
              <>
                <dt>{FATES[fate] ?? fate.replace(/_/g, " ")}</dt>
                <dd>{hooks.join(", ")}</dd>
              </>
            ))}
          </dl>
        </details>
      )}
    </Panel>
  );
}

const RUNGS = ["none", "allow", "ask", "block", "stop"];

/** The merge as steps: the strongest decision counts. */
function Ladder({ told }: { told: Explanation }) {
  return (
    <table class="ladder">
      <caption class="hidden">How the decisions were merged</caption>
      <thead>
        <tr>
          <th scope="col">hook</th>
          {RUNGS.map((rung) => (
            <th scope="col" key={rung}>
              {rung === "block" ? "deny" : rung}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {told.merge.map((step, index) => (
          <tr key={index}>
            <th scope="row">{step.hook}</th>
            {RUNGS.map((rung) => (
              <td key={rung} class={step.decision === rung ? verdictOf(rung) : ""}>
                {step.decision === rung ? <span aria-label="holds">●</span> : step.said === rung && rung !== "none" ? <span aria-label="said">○</span> : ""}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the same event comes to under other configurations. */
function Others({ record, row, now }: { record: RecordId; row: EventRow; now: Explanation }) {
  const { value, error } = useGet<Compared[]>("/api/compare", { record });
  const shadow = now.hooks.filter((hook) => hook.mode === "shadow" || hook.mode === "warn");
  return (
    <Panel title="Under another configuration" note="decided again, nothing is recorded">
      {error !== undefined && <Problem error={error} />}
      <table class="others">
        <thead>
          <tr>
            <th scope="col">configuration</th>
            <th scope="col">decision</th>
            <th scope="col">by</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">then, as recorded</th>
            <td>
              <Pill verdict={row.verdict} />
            </td>
            <td>{row.runs.find((run) => run.verdict === row.verdict && row.verdict !== "none")?.hook ?? ""}</td>
          </tr>
          <tr>
            <th scope="row">now, as configured</th>
            <td>
              <Pill verdict={verdictOf(now.verdict.decision)} />
            </td>
            <td>{(now.rules ?? []).map((rule) => rule.rule.replace(/^rule\//, "")).join(", ")}</td>
          </tr>
          {(value ?? []).map((other) => (
            <tr key={other.level}>
              <th scope="row">safety level {other.level}</th>
              <td>
                <Pill verdict={verdictOf(other.decision)} />
              </td>
              <td>{(other.rules ?? []).map((rule) => rule.rule.replace(/^rule\//, "")).join(", ")}</td>
            </tr>
          ))}
          {shadow.map((hook) => (
            <tr key={hook.hook}>
              <th scope="row">
                {hook.hook} enforced <span class="tag">{hook.mode}</span>
              </th>
              <td>
                <Pill verdict={hook.run?.withheld === undefined ? "none" : "deny"} label={hook.run?.withheld === undefined ? "no objection" : "objects"} />
              </td>
              <td>{hook.source}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {value === undefined && error === undefined && <Loading what="Deciding with other levels" />}
      <p class="note">
        Whole sessions under another file: <a href={address({}, "/backtest")} onClick={follow}>Backtest</a>
      </p>
    </Panel>
  );
}
