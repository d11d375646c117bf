/** Every rule in force: its text, its examples, what it decided. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Rule, Rules as Listing } from "./api";
import { age, count, moment, verdictOf } from "./format";
import { Code, Empty, Loading, Panel, Pill, Problem, Subject, useGet, useNow } from "./parts";
import { address, go, useRoute } from "./router";

export function Rules() {
  const { query } = useRoute();
  const project = query.get("project") ?? "";
  const { value, error } = useGet<Listing>("/api/rules", { project });
  const [text, setText] = useState("");
  const now = useNow();
  useEffect(() => {
    document.title = "Rules · hookrail";
  }, []);
  if (error !== undefined) return <Problem error={error} />;
  if (value === undefined) return <Loading what="Reading rules" />;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (rule: Rule) => words.every((word) => `${rule.id} ${rule.when} ${rule.reason ?? ""} ${rule.decision ?? "off"}`.toLowerCase().includes(word));
  const shown = value.rules.filter(matches);
  const groups = new Map<string, Rule[]>();
  for (const rule of shown) {
    const group = rule.pack === null ? `${rule.layer} rules` : `pack ${rule.pack}, level ${value.level}`;
    groups.set(group, [...(groups.get(group) ?? []), rule]);
  }
  const id = query.get("id");
  const open = value.rules.find((rule) => rule.id === id);
  return (
    <div class={`rules ${open === undefined ? "" : "with-detail"}`}>
      <header class="page-head">
        <h1>Rules</h1>
        <label class="search">
          <span class="hidden">Search rules</span>
          <input id="search" type="search" placeholder="Search rules   /" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <span class="note">{count(shown.length)} rules</span>
      </header>
      <div class="columns">
        <div class="rule-list">
          {groups.size === 0 && (
            <Empty title="No rule matches">
              <p>Rules are searched by name, condition, decision and reason.</p>
            </Empty>
          )}
          {[...groups].map(([group, rules]) => (
            <section key={group} aria-label={group}>
              <h2>{group}</h2>
              <ul>
                {rules.map((rule) => (
                  <li key={`${rule.layer}-${rule.id}`}>
                    <a
                      href={address({ id: rule.id })}
                      onClick={(event) => (event.preventDefault(), go(address({ id: rule.id })))}
                      aria-current={rule.id === id ? "true" : undefined}
                    >
                      <Pill verdict={verdictOf(rule.decision)} label={rule.decision ?? "off"} />
                      <span class="id">{rule.id}</span>
                      {rule.notes.length > 0 && <span class="tag warned">{rule.notes.length} to look at</span>}
                      <span class="hits">{rule.hits === 0 ? "never" : `${count(rule.hits)} ×`}</span>
                      <span class="when">{rule.last_hit === null ? "" : age(rule.last_hit, now)}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
        {open !== undefined && <OpenRule rule={open} />}
      </div>
    </div>
  );
}

function OpenRule({ rule }: { rule: Rule }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [rule.id]);
  return (
    <aside class="drawer detail" aria-label={`Rule ${rule.id}`}>
      <header>
        <Pill verdict={verdictOf(rule.decision)} label={rule.decision ?? "off"} />
        <h2 tabIndex={-1} ref={heading}>
          {rule.id}
        </h2>
        <span class="spacer" />
        <button type="button" class="plain" onClick={() => go(address({ id: "" }))} aria-label="Close (Esc)">
          ✕
        </button>
      </header>
      {rule.reason !== null && <p class="reason">{rule.reason}</p>}
      {rule.notes.map((note) => (
        <p key={note} class="said failed">
          {note}
        </p>
      ))}
      <Panel title="Text" note={rule.shown}>
        <Code label="The rule's text">{rule.text ?? `when = ${rule.when}`}</Code>
      </Panel>
      <Panel title="Examples" note="judged by `hookrail rules check`">
        {rule.examples.length === 0 ? (
          <p class="note">
            No examples. <code>examples = {"{ deny = [\"…\"], none = [\"…\"] }"}</code> keeps a rule meaning what its author meant.
          </p>
        ) : (
          <ul class="examples">
            {rule.examples.map((example) => (
              <li key={`${example.expected}-${example.call}`}>
                <Pill verdict={verdictOf(example.expected)} label={example.expected ?? "none"} />
                <code>{example.call}</code>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {rule.exceptions.length > 0 && (
        <Panel title="Exceptions">
          <ul class="examples">
            {rule.exceptions.map((exception) => (
              <li key={exception}>
                <code>{exception}</code>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title="Held" note={rule.hits === 0 ? "never" : `${count(rule.hits)} times`}>
        {rule.newest.length === 0 ? (
          <p class="note">The journal knows of no call that this rule was about.</p>
        ) : (
          <ul class="examples">
            {rule.newest.map((row) => (
              <li key={row.seq}>
                <a href={`/why?record=${row.seq}`} onClick={(event) => (event.preventDefault(), go(`/why?record=${row.seq}`))}>
                  <Pill verdict={row.verdict} />
                  <code>
                    <Subject row={row} />
                  </code>
                  <small>{moment(row.ts)}</small>
                </a>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </aside>
  );
}
