/** The forms of the questions that are counted. A row is a sequence of parts: a class of the lexicon, several ("count|list"), one that
 *  may be missing ("comma?"), or another table, in capitals. A question is understood when a form fits it whole, and when all forms
 *  that fit it ask for the same.
 *
 *  What a part in capitals takes states a condition: "!STATE" everything but that, "=STATE" an alternative to the one before it of the same
 *  facet, "&SYSTEM" both of them. Else no facet is said twice.
 *
 *      How many verified records  outside sorted-lists  are  not deployable?
 *      count    STATE    SUBJECT  except  !PLACE        be   not !STATE
 *               SET: ADJECTIVE SUBJECT TAIL             VERB PREDICATE       = "count|list SET VERB PREDICATE" */
import type { Term } from "./lexicon.ts";

type Part = { readonly names: readonly string[]; readonly mark: string; readonly optional: boolean };
type Row = readonly Part[];

/** A term that a part took: by which class, with which mark, and in which table of the form. */
export type Taken = { readonly term: Term; readonly as: string; readonly mark: string; readonly table: string; readonly place: number };

type Match = { readonly end: number; readonly taken: readonly Taken[] };

const parseRow = (row: string): Row =>
  row.split(" ").map((part) => {
    const [, mark = "", names = "", optional = ""] = /^([!=&]*)(.*?)(\??)$/.exec(part) ?? [];
    return { names: names.replaceAll("as-many", "as many").split("|"), mark, optional: optional === "?" };
  });

const EXCEPTIONS = [
  "except !PLACE|KIND|VALUE",
  "except !PLACE|VALUE and|or !=PLACE|VALUE",
  "except those in !PLACE",
  "except those in !PLACE and|or !=PLACE",
  "except !STATE those",
  "except those that be !STATE",
];

const TABLES: ReadonlyMap<string, readonly Row[]> = new Map(
  Object.entries({
    SET: ["ADJECTIVE? KIND SUBJECT? TAIL?", "ADJECTIVE? SUBJECT TAIL?"],
    ADJECTIVE: ["STATE|PLACE|SYSTEM", "STATE STATE", "STATE and STATE", "STATE or =STATE", "not !STATE"],
    TAIL: [
      "PLACE|VALUE",
      "VALUE and|or =VALUE",
      "WHERE",
      "in WHOLE",
      "STATE",
      "STATE in PLACE",
      "with VALUE",
      "with !FACET",
      "without FACET",
      "that VERB PREDICATE",
      "that HAVING",
      "in PLACE STATE|VALUE",
      "in PLACE that VERB PREDICATE",
      "except !PLACE that VERB PREDICATE",
      "comma? EXCEPTION comma?",
      "but not !KIND",
    ],
    EXCEPTION: EXCEPTIONS,
    WHERE: [
      "in PLACE|SYSTEM|VALUE",
      "not in !PLACE|SYSTEM|VALUE",
      "in PLACE and|or =PLACE",
      "in VALUE and|or =VALUE",
      "in SYSTEM and &SYSTEM",
    ],
    VERB: ["be", "do", "run"],
    PREDICATE: [
      "WHERE",
      "STATE",
      "not run? !STATE",
      "STATE or =STATE",
      "STATE comma =STATE comma? or =STATE",
      "both? STATE and STATE",
      "STATE comma? and|but VERB? not run? !STATE",
      "not run? !STATE comma? but VERB? STATE",
      "not run? !STATE comma? and|but VERB? not run? !STATE",
      "not run? !STATE comma? and|but VERB? not run? !=STATE",
      "neither !STATE nor !STATE",
      "neither !STATE nor !=STATE",
      "neither !STATE nor !STATE but STATE",
    ],
    HAVING: ["have VALUE", "have VALUE and|or =VALUE", "have !FACET", "have no FACET", "do not have FACET|!VALUE", "lack FACET"],
    BEING: ["be", "be in WHOLE", "do WHOLE have"],
    WHOLE: ["registry", "library"],
    BOUND: ["more|fewer than NUMBER", "min|max|exactly NUMBER"],
    COMPARED: ["more", "fewer", "as-many"],
  }).map(([name, rows]) => [name, rows.map(parseRow)]),
);

/** What a form asks for: things, how many of each value, one side against the other, one record or claim, the first of an order, a time. */
export type FormKind = "things" | "bounded" | "grouped" | "compared" | "entity" | "extreme" | "when" | "changes" | "rejected";

const FORMS: readonly (readonly [kind: FormKind, row: Row])[] = Object.entries({
  things: [
    "APART? count|list be? every? SET BEING?",
    "APART? count|list every? SET VERB PREDICATE",
    "count|list|any SET VERB PREDICATE EXCEPTION",
    "count|list|any SET VERB STATE in PLACE",
    "APART? count|list|any|share|all SET HAVING",
    "count|list SET be EXCEPTION",
    "count|list SET do PLACE have",
    "any SET BEING?",
    "count|list|any SET not !STATE",
    "SET not !STATE",
    "any|all SET VERB? PREDICATE",
    "share SET VERB PREDICATE",
    "be every SET PREDICATE",
    "SET",
    "count|list them|those? VERB PREDICATE",
    "count|list them|those? HAVING",
    "count|list|any SUBJECT? KIND? that? rest AXIOM",
  ],
  bounded: ["be|have|any BOUND SET PREDICATE?"],
  grouped: [
    "count SET BEING? per CONTAINER",
    "count SET VERB PREDICATE per CONTAINER",
    "count SET each CONTAINER have",
    "count|list different? every? BY BEING?",
    "count|list different? BY be? in PLACE",
    "count|list different? BY do SET have",
    "count|list CONTAINER have BOUND SET",
    "in? list CONTAINER be|have most|least|largest|smallest SET BEING?",
  ],
  compared: [
    "any|be COMPARED SET than SET",
    "count COMPARED SET than SET be?",
    "any|be COMPARED SET than in? PLACE",
    "any COMPARED STATE than STATE SET",
    "do|have PLACE have? COMPARED SET than PLACE",
    "list have COMPARED SET comma? PLACE or PLACE",
  ],
  entity: [
    "list do? ENTITY rest",
    "do ENTITY rest AXIOM",
    "be ENTITY PREDICATE",
    "do|have ENTITY HAVING",
    "list be? BY ENTITY",
    "list BY be|do ENTITY in|have",
  ],
  extreme: [
    "list be? newest|largest|smallest SET BEING?",
    "list SET be newest|largest|smallest",
    "size be? SET BEING?",
    "size be? library",
  ],
  when: ["when be registry|library|snapshot? newest? CHANGED|made", "when be newest? snapshot made?"],
  changes: ["count|list SUBJECT? be|have? CHANGED|changes in? newest snapshot?", "count|list CHANGED SUBJECT? be? in? newest snapshot?"],
  rejected: ["count|list|any SUBJECT? be? rejected BEING?", "count|list|any rejected SUBJECT? BEING?"],
}).flatMap(([kind, rows]) => rows.flatMap((row) => apart(row).map((one) => [kind as FormKind, parseRow(one)] as const)));

/** apart puts an exception before the question: "Besides theorems, how many records are dead?" */
function apart(row: string): readonly string[] {
  return row.startsWith("APART? ") ? [row.slice(7), `EXCEPTION comma ${row.slice(7)}`] : [row];
}

/** readForms yields what each form that fits the whole of a question took of it. */
export function* readForms(terms: readonly Term[]): Generator<readonly [FormKind, readonly Taken[]]> {
  const reading: Reading = { terms, matches: new Map() };
  for (const [kind, row] of FORMS) for (const { end, taken } of walk(row, reading, 0)) if (end === terms.length) yield [kind, taken];
}

/** A question, and what was found of each table at each place of it: many forms begin alike. */
type Reading = { readonly terms: readonly Term[]; readonly matches: Map<string, readonly Match[]> };

function* walk(row: Row, reading: Reading, at: number, from = 0): Generator<Match> {
  const part = row[from];
  if (part === undefined) {
    yield { end: at, taken: [] };
    return;
  }
  if (part.optional) yield* walk(row, reading, at, from + 1);
  for (const first of part.names.flatMap((name) => take(name, part.mark, reading, at)))
    for (const rest of walk(row, reading, first.end, from + 1))
      yield { end: rest.end, taken: [...first.taken.map((one) => ({ ...one, place: from })), ...rest.taken] };
}

function take(name: string, mark: string, reading: Reading, at: number): readonly Match[] {
  const table = TABLES.get(name);
  if (table === undefined) {
    const term = reading.terms[at];
    return term?.is.includes(name) === true ? [{ end: at + 1, taken: [{ term, as: name, mark, table: "", place: 0 }] }] : [];
  }
  const known = reading.matches.get(`${name} ${at}`);
  if (known !== undefined) return known;
  const found = table
    .flatMap((row) => [...walk(row, reading, at)])
    .map(({ end, taken }) => ({ end, taken: taken.map((one) => ({ ...one, table: name })) }));
  reading.matches.set(`${name} ${at}`, found);
  return found;
}
