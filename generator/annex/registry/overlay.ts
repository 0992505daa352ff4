/** registry.overlay.yaml: what only people know of a record. What a tool says cannot be said here, and a state can be lowered alone. */
import { z } from "zod";
import { ShelfError } from "#snapshots/errors";
import { CHECKED_FIELDS, CubId, type CubField, CubRecord } from "#snapshots/schema";
import { type ConfigProblem, nearest, parseLocatedYaml, readLocated } from "#generator/config";
import { memoize } from "./memoize.ts";
import type { FoundDeclaration } from "./scan.ts";

/** Members that follow from sources and checks. */
const TOLD: readonly string[] = [
  ..."repo theorem_name module statement status no_holes formal_systems kernels files file_shas reproduce links".split(" "),
  "proof_kernels_execute_at_request_time",
  ...CHECKED_FIELDS,
];
const shape = CubRecord.shape;
const SAID = (Object.keys(shape) as CubField[]).filter(
  (name) => name !== "id" && !TOLD.includes(name) && !["standing", "evidence_state", "statement_state", "license"].includes(name),
);

const members = z.looseObject({
  hide: z.boolean().optional().meta({ description: "Leave it out of the registry" }),
  match: z.string().optional().meta({
    description:
      "repo/module/name: in each part * stands for anything, {a,b} for one of them, \\\\ before a sign for itself; ** for all parts that follow",
  }),
  ids: z.array(z.string()).optional().meta({ description: "Or these ids" }),
  verification_state: z.enum(["NOT_VERIFIED", "UNSPECIFIED"]).optional(),
  witness: CubId.optional().meta({ description: "Record of a theorem that shows that its hypotheses can be met" }),
  ...Object.fromEntries(SAID.filter((name) => name !== "verification_state").map((name) => [name, unwrap(shape[name]).optional()])),
});

/** A field without its default, so that what is left out stays left out. */
function unwrap(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodDefault ? (field.unwrap() as z.ZodType) : field;
}

const overlaySchema = z.strictObject({
  renames: z
    .array(z.strictObject({ from: z.string(), to: z.string() }))
    .default([])
    .meta({ description: "Keys of the lock: what was from is to now" }),
  internal: z
    .array(z.string().refine((name) => !Object.hasOwn(shape, name), "is a member of every record, and cannot be internal; remove it"))
    .default([])
    .meta({ description: "Further members that entries may have; they stay internal when internalFields of the configuration names them" }),
  records: z.array(members).default([]).meta({ description: "In order; the last that says something of a record wins" }),
});
export const overlayJsonSchema = z.toJSONSchema(overlaySchema, { io: "input" });

export type Overlay = z.infer<typeof overlaySchema>;

const NO_OVERLAY: Overlay = { renames: [], internal: [], records: [] };
/** Members of an entry that say which records it is of. */
const CHOOSES = new Set(["match", "ids", "hide"]);

/** readOverlay reads the file of an overlay. @throws ShelfError "bad_config" with every mistake and its line */
export function readOverlay(file: string | undefined): Overlay {
  return file === undefined ? NO_OVERLAY : readLocated(file, overlaySchema, overlayJsonSchema, "an overlay", findFaults);
}

/** checkOverlay throws as readOverlay does, of a text that is to be written. @param from what it was made of */
export function checkOverlay(from: string, text: string): void {
  const { data, error } = overlaySchema.safeParse(parseLocatedYaml(Buffer.from(text)).value);
  const faults = data === undefined ? (error?.issues ?? []).map(({ path, message }) => ({ path, what: message })) : findFaults(data);
  const said = [...new Set(faults.map(({ path, what }) => `${String(path.at(-1))} ${what}`))];
  if (said.length > 0) throw new ShelfError("bad_config", `${from}: nothing was written: ${said.join("; ")}`);
}

function findFaults({ records, internal }: Overlay): ConfigProblem[] {
  return records.flatMap((entry, index) => [
    ...((entry.match === undefined) === (entry.ids === undefined)
      ? [{ path: ["records", index], what: "says of no record, or twice; write match or ids" }]
      : []),
    ...Object.keys(entry)
      .filter((name) => !CHOOSES.has(name) && name !== "witness" && !SAID.includes(name as CubField) && !internal.includes(name))
      .map((name) => ({
        path: ["records", index, name],
        what: TOLD.includes(name)
          ? "cannot be said here: it follows from the source and its checks; remove it"
          : `is no member of a record; ${describeMember(name)}`,
      })),
  ]);
}

function describeMember(name: string): string {
  const meant = nearest(name, [...CHOOSES, ...SAID]);
  return meant === null ? "a further one is named under internal" : `did you mean ${meant}?`;
}

/** applyOverlay gives what an overlay says of one declaration, and whether it hides it. @param used gets the entries that said something */
export function applyOverlay(
  overlay: Overlay,
  one: Pick<FoundDeclaration, "repo" | "module" | "theorem">,
  id: string | null,
  used: Set<number>,
): { hidden: boolean; said: Record<string, unknown> } {
  const said: Record<string, unknown> = {};
  let hidden = false;
  for (const [index, entry] of overlay.records.entries()) {
    if (!(entry.match === undefined ? id !== null && entry.ids?.includes(id) === true : isMatched(one, entry.match))) continue;
    used.add(index);
    if (entry.hide !== undefined) hidden = entry.hide;
    for (const [member, value] of Object.entries(entry)) if (!CHOOSES.has(member) && value !== undefined) said[member] = value;
  }
  return { hidden, said };
}

/** unusedOf lists the entries that speak of nothing, by what they would match. */
export function unusedOf(overlay: Overlay, used: ReadonlySet<number>): string[] {
  return overlay.records.flatMap((entry, index) => (used.has(index) ? [] : [entry.match ?? (entry.ids ?? []).join(", ")]));
}

const readPatterns = memoize((pattern: string) => partsOf(pattern).map(readPattern));

/** isMatched holds a pattern against repository, module and name one by one: a name is no path, and may have any sign in it. */
function isMatched({ repo, module, theorem }: Pick<FoundDeclaration, "repo" | "module" | "theorem">, pattern: string): boolean {
  const known = readPatterns(pattern);
  return [repo, module, theorem].every((text, at) => (known[at] ?? ANYTHING).test(text)) && (known.length === 3 || pattern.endsWith("**"));
}
const ANYTHING = /^/;

/** Only the first two slashes part: what is left is the name. */
function partsOf(pattern: string): string[] {
  const [repo = "", module, ...name] = pattern.split("/");
  return [repo, ...(module === undefined ? [] : [module]), ...(name.length === 0 ? [] : [name.join("/")])];
}

function readPattern(part: string): RegExp {
  const choices: boolean[] = [];
  const source = part.replaceAll(/\\([^])|\*+|[{},]|[^]/gu, (sign, escaped?: string) => {
    if (escaped !== undefined) return RegExp.escape(escaped);
    if (sign.startsWith("*")) return "[^]*";
    if (sign === "{") return choices.push(true) > 0 ? "(?:" : "";
    if (sign === "}" && choices.pop() === true) return ")";
    if (sign === "," && choices.length > 0) return "|";
    return RegExp.escape(sign);
  });
  return new RegExp(`^${source}${")".repeat(choices.length)}$`, "u");
}

/** exactPattern writes a name so that it matches itself alone. */
export function exactPattern(name: string): string {
  return name.replaceAll(/[\\*{},]/g, String.raw`\$&`);
}
