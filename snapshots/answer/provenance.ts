/** Provenance answers who made what a question names, and when, out of what the thing states of itself and of the history of the library. */
import { type ObjectRow, pagePath, type ViewData } from "#snapshots/format";
import { findNamed, type FirstSeen } from "#snapshots/query";
import type { Changes, SnapshotRecord } from "#snapshots/shelf";
import { subjectOf } from "./question.ts";
import { bareName, keyOf, kindOf } from "./lookup.ts";

/** Figure is a number with the site path of the list that has as many entries. */
type Figure = { readonly value: string; readonly path: string };
/** FactPart is text of ours, a number, or the name of something, which is a stranger's text. */
export type FactPart = string | Figure | { readonly name: string };

export type CountedFacts = {
  readonly parts: readonly FactPart[];
  /** The things that the list names, first ones first. */
  readonly found: readonly { readonly kind: string; readonly key: string }[];
};

const MADE = "(?:first |last )?(?:written|made|created|published|dated|added|changed|updated|modified|revised|uploaded)";
const WHO = [
  /^who (?:wrote|made|created|authored|published) (.+)$/i,
  /^who (?:is|are|was|were) the (?:authors?|writers?|makers?) of (.+)$/i,
  new RegExp(`^(?:who|whom) (?:was|were|is|are) (.+?) ${MADE} by$`, "i"),
  /^by whom (?:was|were|is|are) (.+?) (?:written|made|created|published)$/i,
];
const WHEN = [
  new RegExp(`^(?:when|since when) (?:was|were|is|has|have) (.+?) (?:been )?(?:here|in (?:the|this) library|${MADE}(?: here)?)$`, "i"),
  /^(?:when|since when) did (.+?) (?:first )?(?:change|appear|come|arrive)(?: last| here)?$/i,
  /^(?:how old is|what is the date of|when is) (.+?)(?: from)?$/i,
];

const LAST =
  /^(?:what(?:'s|\u2019s| is| was| has| has been| are)? (?:the )?(?:last |latest |newest |recent |most recent )?(?:changed|changes?|new|news|added|additions?|updated|updates?)(?: (?:last|lately|recently|now|here|(?:in|to) (?:this|the) library|since (?:last time|the last publication)))*|(?:show (?:me )?)?(?:the )?(?:last|latest|newest|recent) (?:changes?|news|additions?|updates?))$/i;
const MAX_TOLD = 8; // names of each kind of change

/** findLastChange answers a question that asks for whatever changed last: what the newest publication added, changed and removed.
 *  @returns null when the question asks for something else */
export async function findLastChange(
  question: string,
  prefix: string,
  record: Pick<SnapshotRecord, "sequence" | "created">,
  readChanges: (sequence: number) => Promise<Changes | null>,
): Promise<CountedFacts | null> {
  if (
    !LAST.test(
      question
        .trim()
        .replaceAll(/\s+/g, " ")
        .replace(/[ ?!.]+$/, ""),
    )
  )
    return null;
  const changes = await readChanges(record.sequence);
  if (changes === null) return null;
  const told = (["added", "changed", "removed"] as const).flatMap((verb): FactPart[] => {
    const { claims, objects, records } = changes[verb];
    const names = [...objects.filter((key) => key.startsWith(prefix)), ...(prefix === "" ? [...records, ...claims] : [])];
    if (names.length === 0) return [];
    const more = names.length > MAX_TOLD ? ` and ${names.length - MAX_TOLD} more` : "";
    const shown = names.slice(0, MAX_TOLD).flatMap((name, at): FactPart[] => [at === 0 ? "" : ", ", { name }]);
    return ["; ", `${verb} ${names.length}: `, ...shown, more];
  });
  const head: FactPart[] = [
    "Publication ",
    { value: String(record.sequence), path: pagePath.snapshots },
    ` of ${record.created.slice(0, 10)} `,
  ];
  return { parts: [...head, ...(told.length === 0 ? ["changed nothing here"] : told.slice(1)), "."], found: [] };
}

export type FindFirstSeen = (kind: "objects" | "claims" | "records", name: string) => Promise<FirstSeen | null>;

/** findProvenance answers a question that asks who made something, or when.
 *  @returns null when the question asks for neither, names nothing or several things, or when nothing of that is known: a text may say it
 *  @param prefix only keys under it */
export async function findProvenance(
  question: string,
  prefix: string,
  data: ViewData,
  firstSeen: FindFirstSeen,
): Promise<CountedFacts | null> {
  const spaced = subjectOf(question.trim().replaceAll(/\s+/g, " ")).replace(/[ ?!.]+$/, "");
  const ask = (forms: readonly RegExp[]): string | undefined =>
    forms.map((form) => form.exec(spaced)?.[1]).find((name) => name !== undefined);
  const who = ask(WHO);
  const when = who === undefined ? ask(WHEN) : undefined;
  const name = who ?? when;
  if (name === undefined) return null;
  const things = new Map(
    [name, bareName(name)]
      .flatMap((one) => findNamed(data, one))
      .filter((named) => named.kind !== "collection" && (named.kind === "object" ? keyOf(named) : "").startsWith(prefix))
      .map((named) => [`${named.kind} ${keyOf(named)}`, named]),
  );
  const [thing] = things.values();
  if (thing === undefined || things.size > 1) return null;
  const stated: Pick<ObjectRow, "authors" | "date"> = thing.kind === "object" ? thing.item : {};
  const key = keyOf(thing);
  const parts: FactPart[] = [];
  if (who !== undefined) {
    const { authors = [] } = stated;
    if (authors.length === 0) return null;
    parts.push({ name: key }, ` names as ${authors.length === 1 ? "its author" : "its authors"} `, { name: authors.join(", ") }, ".");
  } else {
    if (stated.date !== undefined) parts.push({ name: key }, " says that it is of ", { name: stated.date }, ". ");
    const seen = thing.kind === "collection" ? null : await firstSeen(`${thing.kind}s`, key);
    if (seen !== null) {
      const snapshot = ({ sequence, created }: FirstSeen["key"]): FactPart[] => [
        "publication ",
        { value: String(sequence), path: pagePath.snapshots },
        ` of ${created.slice(0, 10)}`,
      ];
      parts.push({ name: key }, " is in this library since ", ...snapshot(seen.key));
      if (seen.bytes.sequence !== seen.key.sequence) parts.push(", and as it is now since ", ...snapshot(seen.bytes));
      parts.push(".");
    }
    if (parts.length === 0) return null;
  }
  return { parts, found: [{ kind: kindOf(thing), key }] };
}
