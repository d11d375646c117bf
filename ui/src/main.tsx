import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { State } from "./api";
import { Backtest } from "./backtest";
import { Live } from "./live";
import { Overview } from "./overview";
import { Empty, useGet } from "./parts";
import { address, go, useRoute } from "./router";
import { Rules } from "./rules";
import "./style.css";
import { Why } from "./why";

const PAGES = [
  { id: "live", name: "Live", icon: "M4 12h4l3-7 4 14 3-7h2", page: Live },
  { id: "why", name: "Why", icon: "M9.2 9a3 3 0 1 1 4.3 2.7c-1 .5-1.5 1.2-1.5 2.3m0 3.5v.1", page: Why },
  { id: "overview", name: "Overview", icon: "M5 19V11M12 19V5M19 19v-5", page: Overview },
  { id: "backtest", name: "Backtest", icon: "M4 5v5h5M4.6 10A8 8 0 1 1 4 13", page: Backtest },
  { id: "rules", name: "Rules", icon: "M5 6h14M5 12h14M5 18h9", page: Rules },
];

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(() => THEMES.find((one) => one === localStorage.getItem("theme")) ?? "system");
  useEffect(() => {
    localStorage.setItem("theme", theme);
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [theme, () => setTheme((old) => THEMES[(THEMES.indexOf(old) + 1) % THEMES.length] ?? "system")];
}

function App() {
  const route = useRoute();
  const [theme, nextTheme] = useTheme();
  const help = useRef<HTMLDialogElement>(null);
  const state = useGet<State>("/api/state");
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => shortcut(event, nextTheme, () => help.current?.showModal());
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const page = PAGES.find((page) => page.id === route.page);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <nav class="rail" aria-label="Pages">
        <a class="brand" href="/live" onClick={(event) => (event.preventDefault(), go("/live"))}>
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M9 6v20M23 6v20" />
            <path d="M9 13h14M9 19h14" class="bars" />
          </svg>
          <span>hookrail</span>
        </a>
        {PAGES.map((one, index) => (
          <a
            key={one.id}
            href={`/${one.id}`}
            class="page"
            aria-current={one === page ? "page" : undefined}
            onClick={(event) => (event.preventDefault(), go(`/${one.id}`))}
            title={`${one.name} (${index + 1})`}
          >
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d={one.icon} />
            </svg>
            <span>{one.name}</span>
          </a>
        ))}
        <span class="spacer" />
        <button type="button" class="page small" onClick={nextTheme} aria-label={`Theme: ${theme}`} title={`Theme: ${theme} (t)`}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M12 4a8 8 0 1 0 8 8 6 6 0 0 1-8-8z" />
          </svg>
          <span>{theme}</span>
        </button>
        <button type="button" class="page small" onClick={() => help.current?.showModal()} aria-label="Keys" title="Keys (?)">
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M3 7h18v10H3zM7 11h.1M11 11h.1M15 11h.1M8 14h8" />
          </svg>
          <span>keys</span>
        </button>
      </nav>
      <main id="content" tabIndex={-1}>
        {state.value?.read_only && <p class="banner">Read only: {state.value.read_only.split("\n")[0]}</p>}
        {page === undefined ? (
          <Empty title="There is no such page">
            <p>
              <a href="/live">Live</a> shows what your agents do now.
            </p>
          </Empty>
        ) : (
          <page.page />
        )}
      </main>
      <dialog ref={help} class="keys" aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <dl>
          <dt>
            <kbd>1</kbd> … <kbd>5</kbd>
          </dt>
          <dd>Live, Why, Overview, Backtest, Rules</dd>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>search</dd>
          <dt>
            <kbd>e</kbd>
          </dt>
          <dd>to the list of events</dd>
          <dt>
            <kbd>↑</kbd> <kbd>↓</kbd> <kbd>j</kbd> <kbd>k</kbd>
          </dt>
          <dd>choose an event</dd>
          <dt>
            <kbd>Enter</kbd>
          </dt>
          <dd>open it</dd>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>close what is open</dd>
          <dt>
            <kbd>t</kbd>
          </dt>
          <dd>light, dark, or as your system</dd>
        </dl>
        <form method="dialog">
          <button type="submit" class="primary">
            Close
          </button>
        </form>
        <p class="note">hookrail {state.value?.version}</p>
      </dialog>
    </>
  );
}

/** Keys that work everywhere but in fields and dialogs. */
function shortcut(event: KeyboardEvent, nextTheme: () => void, showHelp: () => void) {
  const target = event.target as HTMLElement;
  const isField = target.matches("input, select, textarea");
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
  if (event.key === "Escape") {
    if (isField) target.blur();
    else if (location.search.includes("record=") || location.search.includes("id=")) {
      go(address({ record: "", id: "" }));
      document.querySelector<HTMLElement>(".events")?.focus();
    }
    return;
  }
  if (isField) return;
  const page = PAGES[Number(event.key) - 1];
  if (page !== undefined) go(`/${page.id}`);
  else if (event.key === "/") document.querySelector<HTMLElement>("#search")?.focus();
  else if (event.key === "e") document.querySelector<HTMLElement>(".events")?.focus();
  else if (event.key === "t") nextTheme();
  else if (event.key === "?") showHelp();
  else return;
  event.preventDefault();
}

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
