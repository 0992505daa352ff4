/** The checks of one record as readers see them: who said what, how many agree, what moved. */
import { type CubRecord, RecordCheck } from "#snapshots/schema";
import type { Checks, ToldVerdict } from "./checks.ts";
import { causeOf } from "./drift.ts";
import { adapterOf, type ProverName, PROVERS } from "./provers.ts";
import type { FoundDeclaration, ScannedSource } from "./scan.ts";
import { compiles, contradiction } from "./states.ts";

/** checksOf lists the answers of provers first, then who looked over it, then whom nobody trusts; of one that was never asked, why. */
export function checksOf(
  one: FoundDeclaration,
  source: ScannedSource,
  checks: Checks,
  was: readonly string[],
  lean: string | null,
): RecordCheck[] {
  const [verdicts, last] = [checks.of(one, source), checks.history(one, source, was)[0]];
  const [first] = verdicts;
  const told = (verdict: ToldVerdict, state: RecordCheck["state"]): RecordCheck => {
    const { check, exact, sha256: attestation, signers, counted, log } = verdict;
    const { version, name } = check.tool;
    return {
      state,
      prover: check.prover,
      version,
      revision: check.revision,
      finished: check.finished,
      attestation,
      tool: name === check.prover ? "" : name,
      signers: [...signers],
      counted,
      isolation: check.isolation,
      exact,
      reason: log,
    };
  };
  const silent = (prover: string, reason: string): RecordCheck => RecordCheck.parse({ state: "not_run", prover, reason });
  const { prover } = one;
  const adapted = adapterOf(source.source) !== null || source.source.adapter !== undefined;
  const own =
    verdicts.length > 0
      ? verdicts.map((verdict) => told(verdict, verdict.state))
      : last !== undefined
        ? [told(last, "stale")]
        : [
            silent(
              prover,
              one.abstract
                ? "it stands in a module with parameters, of which only instances can be asked"
                : adapted
                  ? ""
                  : noAdapter(prover),
            ),
          ];
  const again = checks.second(one, source).map((verdict): RecordCheck => {
    const against = first === undefined ? null : contradiction(first, verdict);
    return against === null ? told(verdict, verdict.state) : { ...told(verdict, "disagrees"), reason: against };
  });
  // It looks over what Coq accepted, unless somebody leaves it out.
  const isLeftOut =
    prover === "coq" && source.source.adapter === undefined && verdicts.some(compiles) && !again.some(({ tool }) => tool === "coqchk");
  const leftOut = isLeftOut ? [{ ...silent(prover, "it would look over what Coq accepted"), tool: "coqchk", counted: false }] : [];
  const strangers = checks.strangers(one, source).map((verdict) => told(verdict, verdict.state));
  return [...own, ...again, ...leftOut, ...strangers, ...(lean === null ? [] : [silent("lean", noAdapter("lean"))])];
}
const noAdapter = (prover: ProverName): string => `no adapter runs ${PROVERS[prover].title} here`;

/** agreementOf counts how many of those who ran a prover over these bytes say what the first says; each counts once, by its signature. */
export function agreementOf([first, ...others]: readonly ToldVerdict[]): Pick<CubRecord, "agreement"> {
  if (first === undefined || others.length === 0) return {};
  const said = ({ state, axioms, unsafe }: ToldVerdict): string => JSON.stringify([state, axioms, unsafe]);
  const agree = others.filter((other) => said(other) === said(first)).length + 1;
  return { agreement: { checkers: others.length + 1, agree } };
}

/** driftOf says what moved since the newest check of other bytes.
 *  @param reason why somebody accepted that it says something else */
export function driftOf(
  [now]: readonly ToldVerdict[],
  history: readonly ToldVerdict[],
  reason: string | undefined,
): Pick<CubRecord, "drift"> {
  const before =
    now === undefined
      ? undefined
      : history.find(({ check }) => check.revision !== now.check.revision && check.finished <= now.check.finished);
  const moved = now === undefined || before === undefined ? null : causeOf(before, now);
  if (moved === null || before === undefined) return {};
  const { cause, definitions } = moved;
  const accepted = reason === undefined || (cause !== "statement" && cause !== "meaning") ? {} : { accepted: reason };
  return { drift: { cause, since: before.check.revision, definitions: [...definitions], ...accepted } };
}
