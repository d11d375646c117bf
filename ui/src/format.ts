import type { Verdict } from "./api";

const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hour12: false });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const COUNT = new Intl.NumberFormat("en-US");

const MINUTES = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });

/** The time of an event of today; of an older one the day as well. */
export function timeOrDay(millis: number): string {
  const isToday = new Date(millis).toDateString() === new Date().toDateString();
  return isToday ? TIME.format(millis) : `${DAY.format(millis)} ${MINUTES.format(millis)}`;
}

export const moment = (millis: number) => MOMENT.format(millis);
export const day = (millis: number) => DAY.format(millis);
export const count = (number: number) => COUNT.format(number);
export const plural = (number: number, word: string) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

export function duration(micros: number): string {
  if (micros < 1000) return `${micros} µs`;
  if (micros < 1_000_000) return `${(micros / 1000).toFixed(micros < 10_000 ? 1 : 0)} ms`;
  return `${(micros / 1_000_000).toFixed(1)} s`;
}

export function age(millis: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - millis) / 1000));
  if (seconds < 5) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** The last part of a path, which is how people call a project. */
export const baseName = (path: string) => path.replace(/\/+$/, "").split("/").pop() || path;

export const shortId = (id: string) => (id.length > 12 ? `${id.slice(0, 8)}…` : id);

/** Decisions in words of the glossary: agents call a deny a block. */
export function verdictOf(word: string | null | undefined): Verdict {
  switch (word) {
    case "block":
    case "deny":
      return "deny";
    case "stop":
    case "ask":
    case "allow":
    case "warned":
    case "failed":
      return word;
    case "warn":
      return "warned";
    default:
      return "none";
  }
}

const PAST: Record<Verdict, string> = {
  none: "no objection",
  failed: "hook failed",
  warned: "warned",
  allow: "allowed",
  ask: "asked",
  deny: "denied",
  stop: "stopped",
};

export const past = (verdict: Verdict) => PAST[verdict];

/** Parts of a text by byte offsets, which is how the server counts. */
export function sliceBytes(text: string, spans: [number, number][]): { text: string; marked: boolean }[] {
  const bytes = new TextEncoder().encode(text);
  const marks = new Uint8Array(bytes.length);
  for (const [start, end] of spans) marks.fill(1, start, end);
  const decoder = new TextDecoder();
  const parts: { text: string; marked: boolean }[] = [];
  let begin = 0;
  for (let at = 1; at <= bytes.length; at++) {
    if (at === bytes.length || marks[at] !== marks[begin]) {
      parts.push({ text: decoder.decode(bytes.subarray(begin, at)), marked: marks[begin] === 1 });
      begin = at;
    }
  }
  return parts;
}
