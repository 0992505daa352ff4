/** `proofshelf registry sign`: the reviews of one person, each as a signed statement in the store of checks. */
import { join } from "node:path";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { OPEN, writeWhole } from "#snapshots/shelf";
import { print } from "#generator/commands";
import { readReviewFile, stateReview } from "#generator/annex/reviews";
import { seal } from "./attest.ts";
import { machineKey, trustedKeys } from "./checks.ts";
import { openSources, type SourceOptions } from "./open-sources.ts";
import { predicateBase } from "./recheck.ts";

/** runRegistrySign signs what the files of reviews say in one name. The same review signed again is the same file. */
export async function runRegistrySign(by: string, options: SourceOptions): Promise<void> {
  const config = await openSources(options);
  const key = machineKey();
  if (key === null)
    throw new ShelfError("bad_config", "There is no RECHECK_KEY to sign with.", {
      fixes: ["Make one with proofshelf keygen; its public half belongs into checks.trust of registry.yaml."],
    });
  const all = config.reviews.flatMap(readReviewFile);
  const own = all.filter((review) => review.by === by);
  if (own.length === 0) {
    const names = [...new Set(all.map((review) => review.by))].slice(0, 20).join(", ");
    throw new ShelfError("bad_config", `No review is by ${JSON.stringify(by)}${names === "" ? "" : `; there are some by ${names}`}.`);
  }
  const made = own.map(({ signed: _, place: __, untrusted: ___, ...review }) => {
    const text = seal(stateReview(review, predicateBase(config)), key);
    const attestation = sha256(text);
    writeWhole(join(config.checks.store, `${attestation}.json`), text, { modes: OPEN });
    return { record: review.record, attestation };
  });
  const isTrusted = trustedKeys(config.checks.trust).some(({ text }) => text === key.text);
  const unheard = isTrusted
    ? ""
    : `checks.trust does not name this key: they are shown as unsigned. To trust it, add ${JSON.stringify(key.text)}.\n`;
  print(
    options,
    { by, key: key.text, reviews: made },
    `${made.map(({ record, attestation }) => `${record} ${attestation}.json\n`).join("")}Signed ${made.length === 1 ? "1 review" : `${made.length} reviews`} by ${by}.\n${unheard}`,
  );
}
