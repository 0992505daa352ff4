/** OAI-PMH 2.0 (openarchives.org/OAI/openarchivesprotocol.html): a pure function of a snapshot, what came before it, and the arguments.
 *
 *  The time of a response is that of the snapshot that it tells of, and no clock's. Who harvests next from that time misses nothing: what
 *  was published later has a later time, whenever it was asked. A token belongs to one snapshot and to the history that is kept,
 *  so that neither a publication nor a prune shifts a page. */
import { z } from "zod";
import { SHA256_PATTERN } from "#snapshots/digest";
import type { ViewData } from "#snapshots/format";
import type { OpenSnapshot } from "#snapshots/query";
import { escapeXml } from "#snapshots/page";
import { formatDublinCore } from "./dublin-core.ts";
import { type HarvestItem, type HarvestItems, itemsOf, setsOf, toSecond } from "./items.ts";
import { OAI_PATH } from "./rows.ts";

/** OAI_PAGE is how many items one response has. */
export const OAI_PAGE = 100;
const MAX_TOKEN = 2000; // characters; ours have under 600

const PREFIX = "oai_dc";

type Code =
  | "badVerb"
  | "badArgument"
  | "badResumptionToken"
  | "cannotDisseminateFormat"
  | "idDoesNotExist"
  | "noRecordsMatch"
  | "noMetadataFormats"
  | "noSetHierarchy";

/** An error of the protocol, which is no error of HTTP. */
class OaiError extends Error {
  readonly code: Code;

  constructor(code: Code, message: string) {
    super(message);
    this.code = code;
  }
}

type Arguments = ReadonlyMap<string, string>;
/** A Repository is what an answer is made from. `open` finds a kept snapshot for a token, null when it is no longer kept. */
export type Repository = { readonly open: OpenSnapshot; readonly at: (id: string) => Promise<OpenSnapshot | null> };
type Verb = {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Stands alone. */
  readonly exclusive?: "resumptionToken";
  /** @param position where a list goes on; null where it begins */
  answer(open: OpenSnapshot, args: Arguments, position: Position | null): Promise<string>;
};

const LIST = { required: ["metadataPrefix"], optional: ["from", "until", "set"], exclusive: "resumptionToken" } as const;

const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ["Identify", { required: [], optional: [], answer: identify }],
  ["ListMetadataFormats", { required: [], optional: ["identifier"], answer: listFormats }],
  ["ListSets", { required: [], optional: [], exclusive: "resumptionToken", answer: listSets }],
  ["ListIdentifiers", { ...LIST, answer: (open, args, position) => listItems(open, args, position, (_, item) => formatHeader(item)) }],
  ["ListRecords", { ...LIST, answer: (open, args, position) => listItems(open, args, position, formatRecord) }],
  ["GetRecord", { required: ["identifier", "metadataPrefix"], optional: [], answer: getRecord }],
]);

/** answerOai returns the body of a response. @param query as sent; the caller controls it */
export async function answerOai(repository: Repository, query: string): Promise<string> {
  let { open } = repository;
  const { base_url: base } = await open.snapshot.library();
  const params = new URLSearchParams(query);
  let said: readonly (readonly [string, string])[] = [];
  let body: string;
  try {
    const { verb, name, args } = readArguments(params);
    said = [["verb", name], ...args];
    const token = args.get("resumptionToken");
    const position = token === undefined ? null : parseToken(token);
    if (position !== null && position.s !== open.snapshot.id) open = (await repository.at(position.s)) ?? expired();
    body = `<${name}>\n${await verb.answer(open, args, position)}\n</${name}>`;
  } catch (error) {
    if (!(error instanceof OaiError)) throw error;
    // Arguments that were not understood are not repeated.
    if (error.code === "badVerb" || error.code === "badArgument") said = [];
    body = `<error code="${error.code}">${escapeXml(error.message)}</error>`;
  }
  const attributes = said.map(([name, value]) => ` ${name}="${escapeXml(value)}"`).join("");
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">',
    `<responseDate>${toSecond(open.snapshot.record.created)}</responseDate>`,
    `<request${attributes}>${escapeXml(base + OAI_PATH)}</request>`,
    body,
    "</OAI-PMH>\n",
  ].join("\n");
}

function readArguments(params: URLSearchParams): { readonly verb: Verb; readonly name: string; readonly args: Arguments } {
  const [name, ...more] = params.getAll("verb");
  const verb = name === undefined || more.length > 0 ? undefined : VERBS.get(name);
  if (verb === undefined || name === undefined)
    throw new OaiError("badVerb", `The argument verb has to stand there once, and be one of ${[...VERBS.keys()].join(", ")}.`);
  const args = new Map<string, string>();
  for (const [key, value] of params) {
    if (key === "verb") continue;
    if (args.has(key)) throw badArgument(`The argument ${key} is given more than once.`);
    if (![...verb.required, ...verb.optional, verb.exclusive].includes(key)) throw badArgument(`${name} takes no argument ${key}.`);
    args.set(key, value);
  }
  if (args.has("resumptionToken")) {
    if (args.size > 1) throw badArgument("Beside resumptionToken stands nothing but the verb.");
    return { verb, name, args };
  }
  for (const key of verb.required) if (!args.has(key)) throw badArgument(`${name} needs the argument ${key}.`);
  return { verb, name, args };
}

function badArgument(message: string): OaiError {
  return new OaiError("badArgument", message);
}

async function identify(open: OpenSnapshot): Promise<string> {
  const library = await open.snapshot.library();
  const { list } = await itemsOf(open);
  return [
    element("repositoryName", library.title),
    element("baseURL", library.base_url + OAI_PATH),
    element("protocolVersion", "2.0"),
    element("adminEmail", adminOf(library.security?.contact)),
    element("earliestDatestamp", list[0]?.datestamp ?? toSecond(open.snapshot.record.created)),
    // Items that were removed before the history that is kept are not told of.
    element("deletedRecord", "transient"),
    element("granularity", "YYYY-MM-DDThh:mm:ssZ"),
  ].join("\n");
}

/** The schema wants an address of mail. A library that states none is not to be written to: no mail arrives under .invalid (RFC 2606). */
function adminOf(contact: string | undefined): string {
  return /^mailto:([^?\s]+@[^?\s]+\.[^?\s]+)/i.exec(contact ?? "")?.[1] ?? "not-stated@library.invalid";
}

async function listFormats(open: OpenSnapshot, args: Arguments): Promise<string> {
  const identifier = args.get("identifier");
  if (identifier !== undefined && findItem(await itemsOf(open), identifier).described === null)
    throw new OaiError("noMetadataFormats", "This item is gone; nothing but its header is told.");
  return [
    "<metadataFormat>",
    element("metadataPrefix", PREFIX),
    element("schema", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"),
    element("metadataNamespace", "http://www.openarchives.org/OAI/2.0/oai_dc/"),
    "</metadataFormat>",
  ].join("\n");
}

async function listSets(open: OpenSnapshot, _: Arguments, position: Position | null): Promise<string> {
  // The sets are told at once: no token was ever given out.
  if (position !== null) throw badToken();
  const sets = setsOf(await open.snapshot.data());
  if (sets.length === 0) throw new OaiError("noSetHierarchy", "There is nothing here that could be in a set.");
  return sets.map(([spec, name]) => `<set>\n${element("setSpec", spec)}\n${element("setName", name)}\n</set>`).join("\n");
}

async function getRecord(open: OpenSnapshot, args: Arguments): Promise<string> {
  const item = findItem(await itemsOf(open), args.get("identifier") ?? "");
  checkPrefix(args.get("metadataPrefix"));
  return formatRecord(await open.snapshot.data(), item);
}

function findItem({ byIdentifier }: HarvestItems, identifier: string): HarvestItem {
  const item = byIdentifier.get(identifier);
  if (item === undefined) throw new OaiError("idDoesNotExist", "Nothing here has this identifier; ListIdentifiers gives every one.");
  return item;
}

function checkPrefix(prefix: string | undefined): void {
  if (prefix !== PREFIX) throw new OaiError("cannotDisseminateFormat", `The one metadataPrefix is ${PREFIX}.`);
}

/** A token holds what a list is of, and where it goes on. */
const Position = z.strictObject({
  s: z.string().regex(SHA256_PATTERN), // snapshot id
  h: z.int().positive(), // oldest publication that was kept
  n: z.int().positive(), // place of the next item
  f: z.string().max(20), // from, until and set; empty for none
  u: z.string().max(20),
  t: z.string().max(300),
});
type Position = z.infer<typeof Position>;

async function listItems(
  open: OpenSnapshot,
  args: Arguments,
  resumed: Position | null,
  format: (data: ViewData, item: HarvestItem) => string,
): Promise<string> {
  const { list, since } = await itemsOf(open);
  const position = resumed ?? begin(open, args, since);
  if (position.h !== since) expired();
  const data = await open.snapshot.data();
  const [from, until] = [position.f, endOf(position.u)];
  const found = list.filter(
    ({ datestamp, sets }) =>
      (from === "" || datestamp >= from) && (until === "" || datestamp <= until) && (position.t === "" || sets.includes(position.t)),
  );
  if (found.length === 0) throw new OaiError("noRecordsMatch", "Nothing was changed in this time, in this set.");
  const shown = found.slice(position.n, position.n + OAI_PAGE);
  if (shown.length === 0) throw badToken();
  const next = position.n + OAI_PAGE;
  const goesOn = next < found.length;
  const rest = goesOn ? formatToken({ ...position, n: next }) : "";
  const end =
    goesOn || position.n > 0
      ? [`<resumptionToken completeListSize="${found.length}" cursor="${position.n}">${rest}</resumptionToken>`]
      : [];
  return [...shown.map((item) => format(data, item)), ...end].join("\n");
}

function begin(open: OpenSnapshot, args: Arguments, since: number): Position {
  checkPrefix(args.get("metadataPrefix"));
  const [f = "", u = "", t = ""] = [args.get("from"), args.get("until"), args.get("set")];
  for (const [name, time] of [
    ["from", args.get("from")],
    ["until", args.get("until")],
  ] as const)
    if (time !== undefined && !isTime(time)) throw badArgument(`${name} is no time: write YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ.`);
  if (f !== "" && u !== "" && f.length !== u.length) throw badArgument("from and until have to be as exact as each other.");
  if (f !== "" && u !== "" && f > u) throw badArgument("from is later than until.");
  if (args.has("set") && !/^[\w\-.!~*'()]+(?::[\w\-.!~*'()]+)*$/.test(t)) throw badArgument("set is no name of a set.");
  return { s: open.snapshot.id, h: since, n: 0, f, u, t };
}

function expired(): never {
  throw new OaiError("badResumptionToken", "The history that this token belongs to is no longer kept; begin again.");
}

function formatToken(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

function parseToken(token: string): Position {
  if (token.length > MAX_TOKEN) throw badToken();
  try {
    return Position.parse(JSON.parse(Buffer.from(token, "base64url").toString("utf8")));
  } catch {
    throw badToken();
  }
}

function badToken(): OaiError {
  return new OaiError("badResumptionToken", "This token was not given out by this repository.");
}

function isTime(text: string): boolean {
  const whole = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(whole)) return false;
  const time = Date.parse(whole);
  // The 30th of February is taken for a day in March.
  return !Number.isNaN(time) && toSecond(whole) === whole;
}

/** A day ends with its last second. */
function endOf(until: string): string {
  return until.length === 10 ? `${until}T23:59:59Z` : until;
}

function formatHeader({ identifier, datestamp, sets, described }: HarvestItem): string {
  return [
    described === null ? '<header status="deleted">' : "<header>",
    element("identifier", identifier),
    element("datestamp", datestamp),
    ...sets.map((spec) => element("setSpec", spec)),
    "</header>",
  ].join("\n");
}

function formatRecord(data: ViewData, item: HarvestItem): string {
  const metadata = item.described === null ? [] : [`<metadata>\n${formatDublinCore(data, item.described)}\n</metadata>`];
  return ["<record>", formatHeader(item), ...metadata, "</record>"].join("\n");
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}
