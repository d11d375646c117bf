import { useEffect } from "preact/hooks";
import { Empty } from "./parts";

export function Backtest() {
  useEffect(() => {
    document.title = "Backtest · hookrail";
  }, []);
  return (
    <div class="backtest">
      <header class="page-head">
        <h1>Backtest</h1>
      </header>
      <Empty title="No report yet">
        <p>A backtest decides past sessions again under another configuration.</p>
      </Empty>
    </div>
  );
}
