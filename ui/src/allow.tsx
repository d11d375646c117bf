/** "This was wrong": the exception that `hookrail allow` would write, shown before it is written. */
import { useEffect, useRef, useState } from "preact/hooks";
import { type Proposal, type RecordId, post } from "./api";
import { verdictOf } from "./format";
import { Loading, Pill, Problem } from "./parts";

interface Proposed {
  id: string;
  proposal: Proposal;
}

export function Allow({ record, onClose }: { record: RecordId; onClose: () => void }) {
  const [once, setOnce] = useState(false);
  const [until, setUntil] = useState("");
  const [reason, setReason] = useState("");
  const [proposed, setProposed] = useState<Proposed>();
  const [error, setError] = useState<unknown>();
  const [written, setWritten] = useState<string[]>();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);

  useEffect(() => {
    let isOld = false;
    const body = { record, once, ...(until === "" || once ? {} : { until }), ...(reason === "" ? {} : { reason }) };
    const timer = setTimeout(() => {
      post<Proposed>("/api/allow", body)
        .then((answer) => !isOld && (setProposed(answer), setError(undefined)))
        .catch((problem) => !isOld && (setError(problem), setProposed(undefined)));
    }, 150);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [record, once, until, reason]);

  const confirm = () =>
    post<{ written: string[] }>("/api/allow/confirm", { id: proposed?.id })
      .then((answer) => setWritten(answer.written))
      .catch(setError);

  return (
    <dialog class="exception" ref={dialog} onClose={onClose} aria-labelledby="allow-title" data-testid="allow">
      <header>
        <h2 id="allow-title">Let this through</h2>
        <button type="button" class="plain" onClick={() => dialog.current?.close()} aria-label="Close (Esc)">
          ✕
        </button>
      </header>
      {written !== undefined ? (
        <div class="done" role="status">
          <p>
            Written. The next such call is decided with the exception{once ? ", once" : ""}.
          </p>
          <ul>
            {written.map((file) => (
              <li key={file}>
                <code>{file}</code>
              </li>
            ))}
          </ul>
          {!once && (
            <p class="note">
              <code>hookrail test</code> plays the scenario that keeps it tested.
            </p>
          )}
        </div>
      ) : (
        <>
          <fieldset>
            <legend class="hidden">How long</legend>
            <label>
              <input type="radio" name="length" checked={!once} onChange={() => setOnce(false)} /> From now on
            </label>
            <label>
              <input type="radio" name="length" checked={once} onChange={() => setOnce(true)} /> One call only
            </label>
            {!once && (
              <label>
                until <input type="date" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
              </label>
            )}
          </fieldset>
          {!once && (
            <label class="why">
              Why, for whoever reads the file later
              <input type="text" value={reason} onInput={(event) => setReason(event.currentTarget.value)} placeholder="optional" />
            </label>
          )}
          {error !== undefined && <Problem error={error} />}
          {proposed === undefined && error === undefined && <Loading what="Looking for the narrowest exception" />}
          {proposed !== undefined && <Shown proposal={proposed.proposal} />}
          <footer>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
            <button type="button" class="danger" disabled={proposed === undefined} onClick={confirm} data-testid="confirm">
              Write this
            </button>
          </footer>
        </>
      )}
    </dialog>
  );
}

function Shown({ proposal }: { proposal: Proposal }) {
  return (
    <>
      <p class="outcome">
        Rule <b>{proposal.rule}</b>: <Pill verdict={verdictOf(proposal.before)} /> <span aria-label="becomes">→</span>{" "}
        <Pill verdict={verdictOf(proposal.after)} label={proposal.after === "none" ? "no objection" : proposal.after} />
      </p>
      {proposal.still.length > 0 && <p class="note">These rules still object: {proposal.still.join(", ")}</p>}
      {proposal.files.map((file) => (
        <figure key={file.path} class="diff">
          <figcaption>
            {file.path} {file.is_new && <span class="tag">new</span>}
          </figcaption>
          <pre tabIndex={0} role="region" aria-label={`Change of ${file.path}`}>
            {file.diff.split("\n").map((line, index) => (
              <div key={index} class={line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : line.startsWith("@") ? "hunk" : ""}>
                {line === "" ? " " : line}
              </div>
            ))}
          </pre>
        </figure>
      ))}
    </>
  );
}
