/** What the server sends, and how it is asked. */

export type Verdict = "none" | "failed" | "warned" | "allow" | "ask" | "deny" | "stop";
export const VERDICTS: Verdict[] = ["deny", "stop", "ask", "warned", "failed", "allow", "none"];

export type Counts = Record<Verdict, number>;

export interface Run {
  hook: string;
  verdict: Verdict;
  failed?: boolean;
  skipped?: boolean;
  micros: number;
}

/** A number in the journal of this machine; in a fleet a key. */
export type RecordId = number | string;

export interface EventRow {
  seq: RecordId;
  decisive: RecordId;
  /** In a fleet only. */
  machine?: string;
  person?: string;
  ts: number;
  session: string;
  agent: string;
  project: string;
  event: string;
  tool: string;
  lane: string;
  subject: string;
  reason: string;
  marked?: [string, string, string];
  verdict: Verdict;
  micros: number;
  runs: Run[];
}

export interface Lane {
  id: string;
  title: string;
  events: number;
  first: number;
  last: number;
  ended: boolean;
  marks: [RecordId, Verdict][];
}

export interface Session {
  id: string;
  /** In a fleet only. */
  machine?: string;
  person?: string;
  agent: string;
  project: string;
  first: number;
  last: number;
  events: number;
  counts: Counts;
  ended: boolean;
  lanes: Lane[];
}

export interface State {
  version: string;
  now: number;
  events: number;
  records: number;
  unreadable: number;
  caught_up: boolean;
  trouble: string | null;
  facets: {
    projects: Record<string, number>;
    agents: Record<string, number>;
    hooks: Record<string, number>;
    /** In a fleet only. */
    machines?: Record<string, number>;
    people?: Record<string, number>;
  };
  read_only: string | null;
}

export interface LiveUpdate {
  total: number;
  records: number;
  matched: number;
  from: number;
  rows: EventRow[];
  caught_up: boolean;
  trouble: string | null;
  sessions: Session[];
}

export interface JournalRecord {
  seq: RecordId;
  hook: string;
  kind: string;
  source: string;
  outcome: string;
  decision?: string;
  reason?: string;
  error?: string;
  duration_us: number;
  extra?: { rule?: string; layer?: string };
  input?: unknown;
  redacted?: number;
  cut?: number;
}

export interface Effect {
  act: string;
  place: string;
  sure: string;
  path?: string;
  host?: string;
  branch?: string;
  remote?: string;
  package?: string;
  target?: string;
  program?: string;
  url?: string;
  span?: [number, number];
}

export interface Explanation {
  agent: string;
  event: { name: string; native: string; tool?: string; about?: string; session: string; cwd: string; project: string };
  kind?: string;
  paths?: string[];
  effects?: Effect[];
  gaps?: { why: string; span?: [number, number] }[];
  rules?: { rule: string; layer: string; decision: string; about: string[] }[];
  complaints: string[];
  hooks: {
    hook: string;
    kind: string;
    fate: string;
    why: string;
    mode: string;
    source: string;
    run?: { decision: string; reason?: string; message?: string; context?: string; micros: number; withheld?: unknown };
  }[];
  order?: string;
  merge: { hook: string; said: string; decision: string; adds: string[]; skipped?: boolean; conflicts?: string[] }[];
  verdict: { decision: string; reason?: string; message?: string; context?: string; rewrite?: unknown };
  answer: { stdout: string; stderr: string; exit_code: number };
  would_change: { path: string; what: string; bytes?: number }[];
  not_started: string[];
  times: { plan: number; hooks: number; total: number };
}

export interface Compared {
  level: string;
  decision: string;
  reason: string | null;
  rules: { rule: string; decision: string }[] | null;
}

export interface Proposal {
  rule: string;
  before: string;
  after: string;
  still: string[];
  files: { path: string; is_new: boolean; diff: string }[];
}

export interface Overview {
  events: number;
  sessions: number;
  counts: Counts;
  days: (Counts & { start: number; p50: number; p95: number })[];
  rules: (Counts & { hook: string; total: number })[];
  projects: (Counts & { project: string; events: number })[];
  /** In a fleet only. */
  machines?: (Counts & { name: string; events: number })[];
  people?: (Counts & { name: string; events: number })[];
  hooks: {
    hook: string;
    runs: number;
    failed: number;
    skipped: number;
    decided: number;
    p50: number;
    p95: number;
    p99: number;
  }[];
  latency: { p50: number; p90: number; p95: number; p99: number; max: number; histogram: [number, number][] };
  interruptions: { today: number; average: number; active_days: number };
}

export interface Rule {
  id: string;
  layer: string;
  pack: string | null;
  shown: string;
  decision: string | null;
  mode: string;
  hits: number;
  last_hit: number | null;
  notes: string[];
  when: string;
  say: string | null;
  instead: string | null;
  reason: string | null;
  source: string | null;
  until: string | null;
  text: string | null;
  examples: { expected: string | null; call: string }[];
  exceptions: string[];
  newest: EventRow[];
}

export interface Rules {
  level: string;
  project: string;
  rules: Rule[];
}

export interface Doctor {
  areas: { area: string; checks: { state: string; what: string; why: string | null; fix: string | null }[] }[];
  errors: number;
  warnings: number;
}

export interface Verified {
  agents: Record<
    string,
    {
      title: string;
      version: string | null;
      since: number;
      surfaces: { surface: string; result: string; note?: string }[];
    }
  >;
}

/** What is wrong, and what to do about it. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly hint: string | null,
    readonly status: number,
  ) {
    super(message);
  }
}

async function read<T>(response: Response): Promise<T> {
  const value = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  if (!response.ok) throw new ApiError(value.error ?? "the server refused", value.hint ?? null, response.status);
  return value as T;
}

export type Query = Record<string, string | number | undefined>;

export function queryString(query: Query): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString();
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const text = queryString(query);
  const options = signal === undefined ? {} : { signal };
  try {
    return await read<T>(await fetch(text === "" ? path : `${path}?${text}`, options));
  } catch (error) {
    if (error instanceof TypeError) throw new ApiError("the server is gone", "run `hookrail ui` again", 0);
    throw error;
  }
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return read<T>(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}
