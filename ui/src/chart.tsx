/** Charts drawn by uPlot, each with its numbers as a table for those who do not see it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { Panel } from "./parts";

export interface Series {
  label: string;
  /** The name of a colour in the style sheet. */
  colour: string;
  values: number[];
}

interface Props {
  label: string;
  /** What stands below each group of values. */
  names: string[];
  series: Series[];
  /** Bars on each other, lines over powers of ten, single bars, or bars beside each other. */
  kind: "stack" | "lines" | "bars" | "columns";
  show: (value: number) => string;
  height?: number;
}

const colourOf = (element: Element, name: string) => getComputedStyle(element).getPropertyValue(`--${name}`).trim();

/** The running sums that make bars stand on each other. */
function stacked(series: Series[]): number[][] {
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => value + (below?.[index] ?? 0)));
  }
  return sums;
}

function Chart(props: Props) {
  const { label, names, series, kind, show, height = 180 } = props;
  const box = useRef<HTMLDivElement>(null);
  const key = JSON.stringify([names, series, kind]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let plot: uPlot | undefined;
    const draw = () => {
      plot?.destroy();
      plot = new uPlot(options(element, props, height), data(props), element);
    };
    draw();
    const observer = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    // Colours are the style sheet's, which another theme changes.
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", draw);
    return () => {
      observer.disconnect();
      theme.disconnect();
      system.removeEventListener("change", draw);
      plot?.destroy();
    };
  }, [key]);
  return (
    <figure class="chart">
      <div ref={box} aria-hidden="true" style={{ height: `${height}px` }} />
      <ul class="legend" aria-hidden="true">
        {series.map((one) => (
          <li key={one.label}>
            <i class={one.colour} /> {one.label}
          </li>
        ))}
      </ul>
      <div class="hidden">
        <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th />
            {series.map((one) => (
              <th key={one.label} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name, index) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {series.map((one) => (
                <td key={one.label}>{show(one.values[index] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
        </table>
      </div>
    </figure>
  );
}

/** In a stack the highest is drawn first, so that those below it cover it. */
function data({ names, series, kind }: Props): uPlot.AlignedData {
  const places = names.map((_, index) => index);
  const values = kind === "stack" ? stacked(series).reverse() : series.map((one) => one.values.map((value) => (kind === "lines" && value === 0 ? null : value)));
  return [places, ...values] as uPlot.AlignedData;
}

function options(element: HTMLElement, { names, series, kind, show }: Props, height: number): uPlot.Options {
  const drawn = kind === "stack" ? [...series].reverse() : series;
  const [text, grid] = [colourOf(element, "muted"), colourOf(element, "line")];
  // Of a logarithmic axis only powers of ten are drawn.
  const filter = (_: uPlot, splits: number[]) => splits.map((value) => (Math.log10(value) % 1 === 0 ? value : null));
  const powers = kind === "lines" ? { filter } : {};
  const font = "11px system-ui, sans-serif";
  const bars = (index: number) => {
    if (kind !== "columns") return uPlot.paths.bars?.({ size: [0.72, 48] });
    return uPlot.paths.bars?.({ size: [0.36, 24], align: index === 0 ? -1 : 1 });
  };
  return {
    width: element.clientWidth,
    height,
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    legend: { show: false },
    padding: [8, 8, 0, 0],
    scales: { x: { time: false, range: [-0.6, names.length - 0.4] }, y: kind === "lines" ? { distr: 3, range: (_, least, most) => [10 ** Math.floor(Math.log10(Math.max(1, least))), 10 ** Math.ceil(Math.log10(Math.max(10, most)))] } : { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] } },
    axes: [
      {
        stroke: text,
        font,
        grid: { show: false },
        ticks: { show: false },
        size: 26,
        splits: () => {
          const step = Math.max(1, Math.ceil(names.length / Math.max(2, element.clientWidth / 72)));
          return names.map((_, index) => index).filter((index) => (names.length - 1 - index) % step === 0);
        },
        values: (_, splits) => splits.map((at) => names[at] ?? ""),
      },
      {
        stroke: text,
        font,
        size: 56,
        grid: { stroke: grid, width: 1, ...powers },
        ticks: { show: false },
        ...powers,
        values: (_, splits) => splits.map((value) => (value === null ? "" : show(value))),
      },
    ],
    series: [
      {},
      ...drawn.map((one, index) => {
        const paths = bars(index);
        const colour = colourOf(element, `${one.colour}-fill`);
        return kind === "lines"
          ? { label: one.label, stroke: colour, width: 2, points: { show: names.length < 40, size: 5, fill: colour } }
          : { label: one.label, fill: colour, stroke: colour, width: 0, points: { show: false }, ...(paths === undefined ? {} : { paths }) };
      }),
    ],
  };
}

/** A chart in a panel of its own. */
export function ChartPanel({ title, note, class: name, ...chart }: Props & { title: string; note?: ComponentChildren; class?: string }) {
  return (
    <Panel title={title} note={note} class={name ?? ""}>
      <Chart {...chart} />
    </Panel>
  );
}
