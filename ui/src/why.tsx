/** Every decision that affected a call, with its explanation beside it. */
import { useEffect } from "preact/hooks";
import type { Verdict } from "./api";
import { Detail } from "./detail";
import { EventList } from "./eventList";
import { useEvents } from "./events";
import { Filters, filterOf } from "./filters";
import { Empty } from "./parts";
import { address, go, useRoute } from "./router";

const NOTICED: Verdict[] = ["deny", "stop", "ask", "warned", "failed"];

export function Why() {
  const { query } = useRoute();
  const filter = filterOf(query);
  const events = useEvents({ ...filter, decision: filter.decision ?? NOTICED.join(",") });
  const record = query.get("record") || undefined;
  useEffect(() => {
    document.title = "Why · hookrail";
  }, []);
  return (
    <div class={`why-page ${record === undefined ? "" : "with-detail"}`}>
      <h1 class="hidden">Why</h1>
      <div class="toolbar">
        <Filters query={query} decisions={NOTICED} />
      </div>
      <div class="columns">
        <section class="stream" aria-label="Decisions">
          <EventList
            events={events}
            open={record}
            onOpen={(row) => go(address({ record: String(row.seq) }))}
            label="Refusals, questions, warnings and failures, the newest first"
            empty={
              <Empty title="No refusal and no question">
                <p>When a hook refuses a call, asks you about it or fails, you find out here why: the plan, the effects, the rule with its file and line.</p>
                <p>
                  Try one without an agent: <code>hookrail try 'rm -rf ~'</code>
                </p>
              </Empty>
            }
          />
        </section>
        {record !== undefined ? (
          <aside class="drawer" aria-label="Explanation">
            <Detail record={record} onClose={() => go(address({ record: "" }))} />
          </aside>
        ) : (
          (events.matched ?? 0) > 0 && (
            <aside class="drawer placeholder">
              <Empty title="Choose a decision">
                <p>
                  <kbd>↑</kbd> <kbd>↓</kbd> move, <kbd>Enter</kbd> opens. You see what <code>hookrail explain</code> says, what other
                  configurations decide, and the exception that would let the call through.
                </p>
              </Empty>
            </aside>
          )
        )}
      </div>
    </div>
  );
}
