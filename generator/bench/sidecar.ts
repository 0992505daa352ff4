/** The gate and the sidecar's memory: the sidecar's own benchmark as a process, so that nothing of the sidecar is imported here. */
import { fileURLToPath } from "node:url";
import type { Figure, Skipped } from "./figure.ts";
import { measure } from "./measure.ts";

const SCRIPT = fileURLToPath(new URL("../../sidecar/bench.ts", import.meta.url));
/** Over so many requests memory has to stay where it is. */
const REQUESTS = 100_000;
const MIN_VERIFIED_PER_SECOND = 5_000;
const MIN_REFUSED_PER_SECOND = 20_000;
const MAX_MEMORY_MB = 250;
/** What the second half of the requests may add before it is more than noise: samples of one run differ by as much. */
const MAX_GROWTH_MB = 8;
const LIMIT_S = 900;

type Rate = { readonly requests: number; readonly per_second: number; readonly per_core_second: number };
type Report = {
  readonly verified: Readonly<Record<"one_token" | "new_es256" | "new_rs256" | "new_eddsa", Rate>>;
  readonly refused: Readonly<Record<"no_credentials" | "malformed" | "expired" | "bad_signature", Rate>>;
  readonly mixed: Rate;
  readonly memory_mb: {
    readonly start: number;
    readonly peak: number;
    readonly end: number;
    readonly growth_of_second_half: number;
    readonly helpers: number;
  };
};

export async function benchSidecar(): Promise<readonly Figure[] | Skipped> {
  if (process.platform !== "linux") return { skipped: "memory and processor time of another process are read from /proc" };
  const { stdout } = await measure([process.execPath, SCRIPT, "--requests", String(REQUESTS), "--json"], { limit_s: LIMIT_S });
  const { verified, refused, mixed, memory_mb } = JSON.parse(stdout) as Report;
  const rate = (figure: string, { per_second, per_core_second }: Rate, least: number | null): Figure => ({
    figure: `${figure}, per second of its processor time`,
    value: per_core_second,
    unit: "requests/s",
    target: least === null ? null : { at: "least", value: least },
    beside: null,
    note: `${per_second.toLocaleString("en")} per second on a clock`,
  });
  return [
    rate("let in, one token again and again", verified.one_token, MIN_VERIFIED_PER_SECOND),
    rate("let in, each ES256 token new", verified.new_es256, MIN_VERIFIED_PER_SECOND),
    rate("let in, each RS256 token new", verified.new_rs256, MIN_VERIFIED_PER_SECOND),
    rate("let in, each EdDSA token new", verified.new_eddsa, null),
    rate("refused, no credentials", refused.no_credentials, MIN_REFUSED_PER_SECOND),
    rate("refused, malformed tokens", refused.malformed, MIN_REFUSED_PER_SECOND),
    rate("refused, expired tokens", refused.expired, MIN_REFUSED_PER_SECOND),
    rate("refused, each bad ES256 signature new", refused.bad_signature, null),
    rate(`${mixed.requests.toLocaleString("en")} mixed requests`, mixed, null),
    {
      figure: "memory, at most, in all of this",
      value: memory_mb.peak,
      unit: "MB",
      target: { at: "most", value: MAX_MEMORY_MB },
      beside: null,
      note: `${memory_mb.start} MB before the first request, ${memory_mb.end} MB after the last; the embedded model's process has ${memory_mb.helpers} MB while it is asked`,
    },
    {
      figure: "memory that the second half of them added",
      value: memory_mb.growth_of_second_half,
      unit: "MB",
      target: { at: "most", value: MAX_GROWTH_MB },
      beside: null,
    },
  ];
}
