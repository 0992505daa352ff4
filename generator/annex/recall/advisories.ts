/** advisories.yaml: checkers that are known to accept what does not hold, which versions, and what of a proof's text the hole needs. Some forty
 *  come with the program; a library names further files. */
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { NoteKey } from "#snapshots/log";
import { type ConfigProblem, type LocatedYaml, nearest, readLocated } from "#generator/config";
import { fetchLists, openSigned } from "./signed.ts";

const some = (what: string) => z.string().trim().min(1, `is empty; write ${what}`);
const version = z.string().regex(/^\d+(?:\.\d+)*$/, 'is no version; write it in quotes, as in "8.16"');

const checker = z.strictObject({
  name: some("the checker's name").meta({
    description: "As checks name it: coq, coqchk, metamath, agda, lean, or a kernel of registry.yaml",
  }),
  introduced: version.exactOptional().meta({ description: "The first version that has the hole; without it, every one up to the last" }),
  fixed: version.exactOptional().meta({ description: "The first version without it" }),
  last: version.exactOptional().meta({ description: "Or the last version that has it" }),
  builds: z
    .array(z.string().regex(/^[0-9a-f]{64}$/, "is no SHA-256 of a program"))
    .min(1, "is empty; leave it out, and each build has it")
    .exactOptional()
    .meta({ description: "Programs that have it, by SHA-256; without it, each of these versions" }),
});

const advisory = z.strictObject({
  id: z.string().regex(/^[A-Z0-9][A-Z0-9._-]{0,59}$/, "is no id; write capitals, digits, hyphens"),
  title: some("what goes wrong, in one line").max(200),
  url: z.url({ protocol: /^https?$/, error: "is no address; write https://…" }).meta({ description: "Where it is told in public" }),
  checkers: z.array(checker).min(1, "is empty; name a checker"),
  suspects: z
    .strictObject({
      words: z.array(some("a word")).min(1, "is empty; name a word").exactOptional(),
      recursion: z.literal(true).exactOptional().meta({ description: "Of Coq: a recursive definition that is not plain" }),
      letins: z.literal(true).exactOptional().meta({ description: "Of Coq: a constructor or field with a local definition" }),
      irrelevance: z.literal(true).exactOptional().meta({ description: "Of Agda: what is irrelevant, or in Prop" }),
      modules: z.literal(true).exactOptional().meta({ description: "Of Coq: a module with parameters, a type or another name" }),
    })
    .refine((one) => Object.keys(one).length > 0, "says nothing; write words, recursion, letins, irrelevance or modules")
    .exactOptional()
    .meta({
      description: "What a proof, or a file of its sources below it, has to have so that it can use the hole; without it, every one can",
    }),
  survives: z
    .array(z.enum(["export", "second kernel"]))
    .exactOptional()
    .meta({ description: "Whether it also passes an export of the proof, or the prover's second kernel" }),
  test: z
    .url({ protocol: /^https?$/, error: "is no address; write https://…" })
    .exactOptional()
    .meta({ description: "The proof that shows it" }),
  withdrawn: some("why").exactOptional().meta({ description: "Why it does not hold any more: it recalls nothing" }),
});
const schema = z.strictObject({ advisories: z.array(advisory) });
export type Advisory = z.infer<typeof advisory> & {
  /** Its file and line; absent of the program's own. */
  readonly place?: string;
};
export const advisoriesJsonSchema = z.toJSONSchema(schema, { io: "input" });

const OWN = fileURLToPath(new URL("advisories.yaml", import.meta.url));

/** readAdvisories reads those of the program and of further lists. One that stands in two lists is refused, unless the later one withdraws it: then it is
 *  that one, which recalls nothing.
 *  @param lists files, or addresses with the digest of their bytes; one whose name ends with .note is a signed note: https://c2sp.org/signed-note
 *  @param keys one of which has to have signed a note
 *  @throws ShelfError "bad_config" with every mistake and its line, "bad_source" where an address gives nothing, or other bytes */
export async function readAdvisories(lists: readonly string[], keys: readonly NoteKey[]): Promise<readonly Advisory[]> {
  const known = new Map<string, Advisory>();
  const fetched = await fetchLists(lists);
  for (const file of [OWN, ...lists]) {
    let lineOf: LocatedYaml["lineOf"] = () => 1;
    const { advisories } = readLocated(
      file,
      schema,
      advisoriesJsonSchema,
      "a list of advisories",
      (read, yaml) => {
        ({ lineOf } = yaml);
        return findFaults(read.advisories, known);
      },
      openSigned(keys, fetched),
    );
    for (const [at, one] of advisories.entries())
      known.set(one.id, file === OWN ? one : { ...one, place: `${file}:${lineOf(["advisories", at])}` });
  }
  return [...known.values()];
}

/** PROVER_OF names the checkers that need no line of registry.yaml. */
const PROVER_OF: Readonly<Record<string, string>> = {
  coq: "Coq",
  coqchk: "Coq",
  metamath: "Metamath",
  "proofshelf-metamath": "Metamath",
  agda: "Agda",
  lean: "Lean",
};
/** SUSPECTS_OF names the prover whose texts have what is looked for: those of another never have it. */
const SUSPECTS_OF: Readonly<Record<string, string>> = { recursion: "Coq", letins: "Coq", modules: "Coq", irrelevance: "Agda" };

/** findStrange tells which advisories recall nothing, since nobody here checks by such a name. @param kernels names of the library's own */
export function findStrange(advisories: readonly Advisory[], kernels: readonly string[]): readonly string[] {
  const known = [...Object.keys(PROVER_OF), ...kernels];
  return advisories.flatMap(({ id, place, checkers, withdrawn }) => {
    const names = checkers.map(({ name }) => name);
    if (place === undefined || withdrawn !== undefined || names.some((name) => known.includes(name))) return [];
    const meant = names.flatMap((name) => nearest(name, known) ?? [])[0];
    return [
      `${place}: ${id} is of ${names.join(", ")}, and nothing here is checked by that.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
    ];
  });
}

function findFaults(advisories: readonly Advisory[], known: ReadonlyMap<string, Advisory>): ConfigProblem[] {
  const seen = new Set<string>();
  return advisories.flatMap(({ id, checkers, suspects = {}, withdrawn }, index): ConfigProblem[] => {
    const at = (what: string, ...path: (string | number)[]): ConfigProblem => ({ path: ["advisories", index, ...path], what });
    const twice = seen.has(id) || (known.has(id) && withdrawn === undefined);
    seen.add(id);
    return [
      ...(twice ? [at("stands twice; give one of them another id, or withdraw it", "id")] : []),
      ...Object.keys(suspects).flatMap((asked) => {
        const other = checkers.find(({ name }) => name in PROVER_OF && PROVER_OF[name] !== (SUSPECTS_OF[asked] ?? PROVER_OF[name]));
        return other === undefined
          ? []
          : [at(`is looked for in texts of ${SUSPECTS_OF[asked]}, and ${other.name} reads others`, "suspects", asked)];
      }),
      ...checkers.flatMap(({ introduced, fixed, last }, place) => {
        const end = fixed ?? last;
        if (introduced === undefined && end === undefined)
          return [at("names no version; write introduced, fixed or last", "checkers", place)];
        if (fixed !== undefined && last !== undefined) return [at("has both fixed and last; keep one", "checkers", place)];
        const isEmpty = introduced !== undefined && end !== undefined && compareVersions(introduced, end) > (fixed === undefined ? 0 : -1);
        return isEmpty ? [at("ends before it begins", "checkers", place)] : [];
      }),
    ];
  });
}

/** Accepting is one checker that accepted a record, its build by the digest of the program. */
export type Accepting = { readonly name: string; readonly version: string; readonly build?: string };

/** isAffected tells whether a checker of this name and version has the hole. A version that is none may be any. */
export function isAffected({ checkers }: Advisory, { name, version: text, build }: Accepting): boolean {
  return checkers.some((one) => {
    if (one.name !== name || (build !== undefined && one.builds?.includes(build) === false)) return false;
    const number = /\d+(?:\.\d+)*/.exec(text)?.[0];
    if (number === undefined) return true;
    const isAfter = one.introduced === undefined || compareVersions(number, one.introduced) >= 0;
    const isBefore =
      (one.fixed === undefined || compareVersions(number, one.fixed) < 0) &&
      (one.last === undefined || compareVersions(number, one.last) <= 0);
    return isAfter && isBefore;
  });
}

function compareVersions(one: string, other: string): number {
  const [own, theirs] = [one, other].map((text) => text.split(".").map(Number)) as [number[], number[]];
  for (let at = 0; at < Math.max(own.length, theirs.length); at++) {
    const difference = (own[at] ?? 0) - (theirs[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
