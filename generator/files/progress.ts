/** Progress tells on stderr what is being done. On a terminal it has one line for each step, rewritten while it lasts; elsewhere, where lines pile
 *  up in a log, one line each ten seconds, so that what takes long can be told from what hangs. */
import { CLEAR_LINE } from "#snapshots/terminal";

export type Progress = {
  /** @param total how many there will be; without it neither share nor time left is told
   *  @param share of the work that is done, from 0 to 1, where one thing takes longer than another; else all take as long */
  step(name: string, done?: number, total?: number, share?: number): void;
  end(): void;
};

export type ProgressOptions = {
  readonly stream?: Pick<NodeJS.WriteStream, "write"> & { readonly isTTY?: boolean };
  /** Milliseconds; for tests. */
  readonly now?: () => number;
  /** Milliseconds between lines of a log. */
  readonly logEvery?: number;
};

/** A terminal's line is rewritten at most this often; milliseconds. */
const EVERY_MS = 100;
/** Milliseconds between lines in a log. */
const LOG_EVERY_MS = 10_000;
/** A step that took less than this leaves no line on a terminal; milliseconds. */
const SHORT_MS = 1000;
/** Before a step has lasted so long, nothing can be said about its end; milliseconds. */
const SETTLED_MS = 2000;

export const SILENT: Progress = { step() {}, end() {} };

/** Verbosity says how much is shown: "quiet" shows nothing, "verbose" leaves a line for every step that has ended. */
export type Verbosity = "quiet" | "normal" | "verbose";

let verbosity: Verbosity = "normal";

/** setVerbosity sets it for the whole process: `--quiet` and `--verbose`. */
export function setVerbosity(wanted: Verbosity): void {
  verbosity = wanted;
}

/** Milliseconds over which a rate is told, and up to twice as many: what begins slowly says nothing of its end. */
const RECENT_MS = 20_000;

type Moment = { readonly at: number; readonly done: number; readonly share: number };
type Step = {
  readonly name: string;
  readonly began: number;
  done: number | null;
  total: number | null;
  share: number;
  /** Counts of a while ago, and of a while before that; none before anything was counted. */
  recent: Moment | null;
  earlier: Moment | null;
};

export function openProgress({
  stream = process.stderr,
  now = () => performance.now(),
  logEvery = LOG_EVERY_MS,
}: ProgressOptions = {}): Progress {
  if (verbosity === "quiet") return SILENT;
  const verbose = verbosity === "verbose";
  const terminal = stream.isTTY === true;
  let current: Step | null = null;
  let written = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const show = (): void => {
    if (current === null) return;
    written = now();
    const line = describe(current, written);
    stream.write(terminal ? `${CLEAR_LINE}${line}` : `${line}\n`);
  };
  const close = (): void => {
    if (current === null) return;
    const took = now() - current.began;
    if (terminal) stream.write(CLEAR_LINE);
    if (verbose || (terminal && took >= SHORT_MS)) stream.write(`${describeDone(current, took)}\n`);
  };
  return {
    step(name, done, total, share) {
      const isNew = name !== current?.name;
      if (isNew) {
        close();
        current = { name, began: now(), done: null, total: null, share: 0, recent: null, earlier: null };
      }
      if (current === null) return;
      current.done = done ?? current.done;
      current.total = total ?? current.total;
      current.share = share ?? (current.done === null || current.total === null ? 0 : current.done / current.total);
      remember(current, now());
      // A step that says nothing of itself is shown to go on all the same.
      timer ??= setInterval(show, terminal ? SHORT_MS : logEvery).unref();
      if (terminal && (isNew || now() - written >= EVERY_MS || done === total)) show();
    },
    end() {
      clearInterval(timer);
      timer = undefined;
      close();
      current = null;
    },
  };
}

function remember(step: Step, at: number): void {
  if (step.done === null) return;
  if (step.recent !== null && at - step.recent.at < RECENT_MS) return;
  step.earlier = step.recent;
  step.recent = { at, done: step.done, share: step.share };
}

/** `read 1,200 of 4,000, 35/s, 1 min 20 s left` */
function describe({ name, began, done, total, share, recent, earlier }: Step, now: number): string {
  const ms = now - began;
  if (done === null) return ms < SETTLED_MS ? `${name} …` : `${name} … ${duration(ms)}`;
  const parts = [`${name} ${count(done)}${total === null ? "" : ` of ${count(total)}`}`];
  const since = earlier ?? recent;
  if (since !== null && now - since.at >= SETTLED_MS && done > since.done) {
    const rate = ((done - since.done) / (now - since.at)) * 1000;
    parts.push(`${rate < 10 ? rate.toFixed(1) : count(Math.round(rate))}/s`);
    if (total !== null && total > done && share > since.share)
      parts.push(`${duration(((1 - share) / (share - since.share)) * (now - since.at))} left`);
  }
  return parts.join(", ");
}

function describeDone({ name, done }: Step, ms: number): string {
  return `${name}${done === null ? "" : ` ${count(done)}`} in ${ms < SHORT_MS ? `${Math.round(ms)} ms` : duration(ms)}`;
}

function count(value: number): string {
  return value.toLocaleString("en");
}

function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
