/** OAI-PMH by the rules that validators of repositories have: every verb, every error, every list whole, once, and in step with time. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { answer } from "../../http/answer.ts";
import { listen, viewListener } from "../../http/listen.ts";
import { openView, type View } from "../../http/view.ts";
import { prune } from "../../shelf/prune.ts";
import { type DirectoryShelf, openDirectoryShelf } from "../../shelf/shelf-directory.ts";
import { publishTiny, TINY, tinyData, type TinySource } from "../../verify/tiny-shelf-fixture.ts";
import type { ViewData } from "../../format/view-data.ts";
import { SERVICE } from "../../service/service.ts";
import { OAI_PAGE } from "./oai.ts";

type Node = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Node[];
  readonly text: string;
};

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  trimValues: true,
});

function toNode(raw: Record<string, unknown>): Node {
  const name = Object.keys(raw).find((key) => key !== ":@") ?? "";
  const inside = raw[name] as Record<string, unknown>[];
  const children = inside.filter((child) => !("#text" in child)).map(toNode);
  const text = inside.map((child) => (child["#text"] as string | undefined) ?? "").join("");
  return { name, attributes: (raw[":@"] as Record<string, string> | undefined) ?? {}, children, text };
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;
/** What stands in each element of the protocol, by its schema: names in their order, `*` any number, `?` at most one. */
const CONTENTS: Readonly<Record<string, string>> = {
  "OAI-PMH": "responseDate request (error*|Identify|ListMetadataFormats|ListSets|ListIdentifiers|ListRecords|GetRecord)",
  Identify: "repositoryName baseURL protocolVersion adminEmail earliestDatestamp deletedRecord granularity",
  ListMetadataFormats: "metadataFormat*",
  metadataFormat: "metadataPrefix schema metadataNamespace",
  ListSets: "set* resumptionToken?",
  set: "setSpec setName",
  ListIdentifiers: "header* resumptionToken?",
  ListRecords: "record* resumptionToken?",
  GetRecord: "record",
  record: "header metadata?",
  header: "identifier datestamp setSpec*",
  metadata: "oai_dc:dc",
};
const DUBLIN_CORE = new Set(
  "title creator subject description publisher contributor date type format identifier source language relation coverage rights".split(" "),
);

/** Says whether the children of an element are what its schema has. */
function check(node: Node): void {
  if (node.name === "oai_dc:dc") {
    for (const { name, text } of node.children) {
      assert.ok(DUBLIN_CORE.has(name.replace(/^dc:/, "")) && name.startsWith("dc:"), name);
      assert.notEqual(text, "", name);
    }
    return;
  }
  const contents = CONTENTS[node.name];
  if (contents === undefined) {
    assert.deepEqual(node.children, [], node.name);
    return;
  }
  const names = node.children.map(({ name }) => `${name} `).join("");
  const pattern = contents
    .split(" ")
    .map((part) => part.replaceAll(/([A-Za-z_:-]+)/g, "(?:$1 )"))
    .join("");
  assert.match(names, new RegExp(`^${pattern}$`), node.name);
  if (node.name === "header") {
    assert.match(node.children[1]?.text ?? "", TIME);
    assert.ok(node.attributes["status"] === undefined || node.attributes["status"] === "deleted");
    for (const { name, text } of node.children)
      if (name === "setSpec") assert.match(text, /^[A-Za-z0-9\-_.!~*'()]+(:[A-Za-z0-9\-_.!~*'()]+)*$/);
  }
  if (node.name === "record") {
    const deleted = node.children[0]?.attributes["status"] === "deleted";
    assert.equal(node.children.length, deleted ? 1 : 2, "a deleted record has no metadata, every other one has");
  }
  for (const child of node.children) check(child);
}

/** Parses a response, and holds it against the schema. */
function parse(xml: string): { readonly root: Node; readonly body: Node; readonly error: string | null } {
  assert.equal(XMLValidator.validate(xml), true);
  const [root, ...more] = (parser.parse(xml) as Record<string, unknown>[]).filter((raw) => !("?xml" in raw)).map(toNode);
  assert.ok(root !== undefined && more.length === 0);
  assert.equal(root.name, "OAI-PMH");
  assert.equal(root.attributes["xmlns"], "http://www.openarchives.org/OAI/2.0/");
  check(root);
  const [date, request, body] = root.children as [Node, Node, Node];
  assert.match(date.text, TIME);
  assert.equal(request.text, "http://127.0.0.1:4321/oai");
  const error = body.name === "error" ? (body.attributes["code"] ?? "") : null;
  if (error === "badVerb" || error === "badArgument") assert.deepEqual(request.attributes, {});
  else assert.ok("verb" in request.attributes);
  return { root, body, error };
}

const MANY = OAI_PAGE * 2 + 30;
const many: TinySource = {
  ...TINY,
  objects: [
    ...TINY.objects,
    ...Array.from({ length: MANY }, (_, n) => ({ key: `notes/${n} & <${n}>.md`, text: `# Note ${n} <b>&amp;\n\nText.\n` })),
  ],
};
/** What the second publication has no more, or otherwise. */
const later: TinySource = {
  ...many,
  objects: many.objects
    .filter(({ key }) => key !== "notes/what?.md")
    .map((object) => (object.key === "notes/hello.md" ? { ...object, text: "# Hello again\n\nChanged.\n" } : object)),
};

let root: string;
let shelf: DirectoryShelf;
let view: View;

function open(of: DirectoryShelf): View {
  const runtime = { version: "1", components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } };
  return openView({ view: "public", shelf: of, renderer: null, index: null, runtime, now: Date.now, listing: null, service: SERVICE });
}

async function publish(of: DirectoryShelf, source: TinySource, created: string, more: Partial<ViewData> = {}): Promise<void> {
  await publishTiny(of, { ...tinyData(source, "public"), ...more }, source, { created });
}

before(async () => {
  root = mkdtempSync(join(tmpdir(), "proofshelf-oai-"));
  shelf = openDirectoryShelf(root);
  await publish(shelf, many, "2026-02-01T10:00:00.500Z");
  await publish(shelf, later, "2026-02-03T10:00:00Z", {
    withdrawn: [
      { what: "object", name: "notes/what?.md", reason: "error", date: "2026-02-03", note: "Wrong.", replacement: null, redacted: false },
      { what: "claim", name: "old", reason: "superseded", date: "2026-01-15", note: "Old.", replacement: null, redacted: false },
    ],
  });
  view = open(shelf);
});
after(() => rmSync(root, { recursive: true, force: true }));

async function ask(query: string, of: View = view): Promise<ReturnType<typeof parse>> {
  const { status, headers, body } = await answer(of, { method: "GET", target: `/oai?${query}`, header: () => null });
  assert.equal(status, 200, query);
  assert.equal(headers["Content-Type"], "text/xml; charset=utf-8");
  return parse(Buffer.from(body as Uint8Array).toString());
}

/** Follows tokens to the end. */
async function harvest(query: string, of: View = view): Promise<{ readonly nodes: readonly Node[]; readonly pages: number }> {
  const nodes: Node[] = [];
  const verb = new URLSearchParams(query).get("verb") ?? "";
  let next: string | null = query;
  let pages = 0;
  while (next !== null) {
    const { body, error } = await ask(next, of);
    assert.equal(error, null, next);
    pages++;
    const items = body.children.filter(({ name }) => name !== "resumptionToken");
    const [token] = body.children.filter(({ name }) => name === "resumptionToken");
    if (token !== undefined) assert.equal(token.attributes["cursor"], String(nodes.length));
    nodes.push(...items);
    next = token === undefined || token.text === "" ? null : `verb=${verb}&resumptionToken=${encodeURIComponent(token.text)}`;
    if (next === null && token !== undefined) assert.equal(token.attributes["completeListSize"], String(nodes.length));
  }
  return { nodes, pages };
}

const child = (node: Node | undefined, name: string): string => node?.children.find((one) => one.name === name)?.text ?? "";
const identifiers = (nodes: readonly Node[]): string[] => nodes.map((node) => child(node, "identifier"));

const HELLO = "http://127.0.0.1:4321/object/notes/hello.md/";
const GONE = "http://127.0.0.1:4321/object/notes/what=3F.md/";

test("every mistake has the error that the protocol names for it", async () => {
  const list = "verb=ListRecords&metadataPrefix=oai_dc";
  const token = child((await ask(list)).body, "resumptionToken");
  for (const [query, code] of [
    ["", "badVerb"],
    ["verb=", "badVerb"],
    ["verb=identify", "badVerb"],
    ["verb=Identify&verb=Identify", "badVerb"],
    ["verb=toString", "badVerb"],
    ["verb=Identify&identifier=x", "badArgument"],
    ["verb=Identify&x=%22%3C%26", "badArgument"],
    ["verb=ListRecords", "badArgument"],
    ["verb=GetRecord&metadataPrefix=oai_dc", "badArgument"],
    [`verb=GetRecord&identifier=${HELLO}`, "badArgument"],
    [`${list}&metadataPrefix=oai_dc`, "badArgument"],
    [`${list}&from=yesterday`, "badArgument"],
    [`${list}&from=2026-02-30`, "badArgument"],
    [`${list}&from=2026-02-01T10:00:00`, "badArgument"],
    [`${list}&from=2026-02-01T10:00:00+00:00`, "badArgument"],
    [`${list}&from=`, "badArgument"],
    [`${list}&until=2026`, "badArgument"],
    [`${list}&from=2026-02-01&until=2026-02-01T10:00:00Z`, "badArgument"],
    [`${list}&from=2026-02-02&until=2026-02-01`, "badArgument"],
    [`${list}&set=`, "badArgument"],
    [`${list}&set=a%20b`, "badArgument"],
    [`${list}&resumptionToken=${token}`, "badArgument"],
    ["verb=ListRecords&resumptionToken=x", "badResumptionToken"],
    ["verb=ListRecords&resumptionToken=", "badResumptionToken"],
    [`verb=ListIdentifiers&resumptionToken=${Buffer.from("{}").toString("base64url")}`, "badResumptionToken"],
    ["verb=ListSets&resumptionToken=x", "badResumptionToken"],
    ["verb=ListRecords&metadataPrefix=marc21", "cannotDisseminateFormat"],
    [`verb=GetRecord&metadataPrefix=marc21&identifier=${HELLO}`, "cannotDisseminateFormat"],
    ["verb=GetRecord&metadataPrefix=oai_dc&identifier=urn:x", "idDoesNotExist"],
    ["verb=ListMetadataFormats&identifier=urn:x", "idDoesNotExist"],
    [`verb=ListMetadataFormats&identifier=${GONE}`, "noMetadataFormats"],
    [`${list}&set=nothing`, "noRecordsMatch"],
    [`${list}&from=2027-01-01`, "noRecordsMatch"],
    [`${list}&until=2001-01-01`, "noRecordsMatch"],
  ] as const)
    assert.equal((await ask(query)).error, code, query);
});

test("a library of nothing has no sets", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-oai-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const empty = openDirectoryShelf(folder);
  const data = tinyData({ objects: [] }, "public");
  await publishTiny(empty, { ...data, library: { ...data.library, collections: [], registry: "none" }, meta: null }, { objects: [] });
  const of = open(empty);
  assert.equal((await ask("verb=ListSets", of)).error, "noSetHierarchy");
  assert.equal((await ask("verb=ListIdentifiers&metadataPrefix=oai_dc", of)).error, "noRecordsMatch");
  assert.equal((await ask("verb=Identify", of)).error, null);
});

test("Identify says what holds of the lists", async () => {
  const { body } = await ask("verb=Identify");
  assert.equal(child(body, "repositoryName"), "Tiny library");
  assert.equal(child(body, "baseURL"), "http://127.0.0.1:4321/oai");
  assert.match(child(body, "adminEmail"), /^\S+@(\S+\.)+\S+$/);
  assert.equal(child(body, "earliestDatestamp"), "2026-02-01T10:00:00Z");
  const { nodes } = await harvest("verb=ListIdentifiers&metadataPrefix=oai_dc");
  assert.ok(nodes.every((node) => child(node, "datestamp") >= child(body, "earliestDatestamp")));
});

test("a list is whole, each item once, whatever stands in its name, and records say what headers say", async () => {
  const { nodes, pages } = await harvest("verb=ListRecords&metadataPrefix=oai_dc");
  const headers = nodes.map(({ children }) => children[0] as Node);
  // Public objects, a claim and two records, one object that is gone and one claim.
  assert.equal(nodes.length, MANY + 1 + 1 + 2 + 2);
  assert.equal(new Set(identifiers(headers)).size, nodes.length);
  assert.equal(pages, Math.ceil(nodes.length / OAI_PAGE));
  const alone = await harvest("verb=ListIdentifiers&metadataPrefix=oai_dc");
  assert.deepEqual(alone.nodes, headers);
  for (const identifier of identifiers(headers).slice(0, 5)) {
    const { body } = await ask(`verb=GetRecord&metadataPrefix=oai_dc&identifier=${encodeURIComponent(identifier)}`);
    assert.deepEqual(body.children[0], nodes[identifiers(headers).indexOf(identifier)]);
  }
  assert.ok(!identifiers(headers).some((one) => one.includes("drafts")), "nothing gated");
});

test("what is gone has a header that says so, and the time at which it went; no earlier one than the oldest snapshot that is kept", async () => {
  const { body } = await ask(`verb=GetRecord&metadataPrefix=oai_dc&identifier=${encodeURIComponent(GONE)}`);
  const header = body.children[0]?.children[0];
  assert.equal(header?.attributes["status"], "deleted");
  assert.equal(child(header, "datestamp"), "2026-02-03T10:00:00Z");
  const { nodes } = await harvest("verb=ListIdentifiers&metadataPrefix=oai_dc&set=claims");
  assert.deepEqual(
    nodes.map((node) => [child(node, "datestamp"), node.attributes["status"] ?? "there"]),
    [
      ["2026-02-01T10:00:00Z", "deleted"],
      ["2026-02-01T10:00:00Z", "there"],
    ],
  );
});

test("from and until are inclusive, by day and by second, and every set is the part that it names", async () => {
  const list = "verb=ListIdentifiers&metadataPrefix=oai_dc";
  const all = (await harvest(list)).nodes;
  const changed = (await harvest(`${list}&from=2026-02-02`)).nodes;
  assert.deepEqual(new Set(identifiers(changed)), new Set([HELLO, GONE]));
  for (const from of ["2026-02-03T10:00:00Z", "2026-02-03"]) assert.deepEqual((await harvest(`${list}&from=${from}`)).nodes, changed);
  for (const until of ["2026-02-01T10:00:00Z", "2026-02-01", "2026-02-03T09:59:59Z"])
    assert.equal((await harvest(`${list}&until=${until}`)).nodes.length, all.length - changed.length, until);
  assert.deepEqual((await harvest(`${list}&from=2026-02-03&until=2026-02-03`)).nodes, changed);
  const { body } = await ask("verb=ListSets");
  for (const set of body.children.map((node) => child(node, "setSpec"))) {
    const part = await harvest(`${list}&set=${set}`);
    const expected = all.filter(({ children }) => children.some(({ name, text }) => name === "setSpec" && text === set));
    assert.deepEqual(part.nodes, expected, set);
    assert.ok(part.nodes.length > 0, set);
  }
});

test("who harvests from the time of a response misses nothing that is published after it", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-oai-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const growing = openDirectoryShelf(folder);
  await publish(growing, many, "2026-03-01T00:00:00Z");
  const first = open(growing);
  const begun = await ask("verb=ListRecords&metadataPrefix=oai_dc", first);
  const token = child(begun.body, "resumptionToken");
  const from = child(begun.root, "responseDate");
  await publish(growing, later, "2026-03-01T00:00:01Z");
  await first.refresh();
  // The list that was begun goes on in the snapshot that it began in, at whose time it is.
  const second = await ask(`verb=ListRecords&resumptionToken=${token}`, first);
  assert.equal(child(second.root, "responseDate"), from);
  assert.equal(second.body.children.at(-1)?.attributes["cursor"], String(OAI_PAGE));
  const then = await harvest(`verb=ListIdentifiers&metadataPrefix=oai_dc&from=${from}`, first);
  assert.ok(identifiers(then.nodes).includes(GONE) && identifiers(then.nodes).includes(HELLO));
  await prune({ shelf: growing, keep: 1 });
  const after = open(growing);
  assert.equal((await ask(`verb=ListRecords&resumptionToken=${token}`, after)).error, "badResumptionToken");
});

test("a list that was begun before a prune never goes on with items left out", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-oai-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const pruned = openDirectoryShelf(folder);
  const objects = many.objects.filter(({ key }) => key.startsWith("notes/")).slice(0, OAI_PAGE + 10);
  for (const day of [1, 2, 3]) await publish(pruned, { ...many, objects: objects.slice(day) }, `2026-03-0${day}T00:00:00Z`);
  const running = open(pruned);
  const next = `verb=ListRecords&resumptionToken=${child((await ask("verb=ListRecords&metadataPrefix=oai_dc", running)).body, "resumptionToken")}`;
  await prune({ shelf: pruned, keep: 1 });
  assert.equal((await ask(next, open(pruned))).error, "badResumptionToken", "what was deleted in the second is told no more");
  assert.equal((await harvest("verb=ListRecords&metadataPrefix=oai_dc", open(pruned))).nodes.length, objects.length + 1);
});

test("arguments come as a form too, and a long one is refused", async (t) => {
  const server = await listen(viewListener(view), { host: "127.0.0.1", port: 0 });
  t.after(() => server.close());
  const send = (body: string): Promise<Response> =>
    fetch(`${server.url}/oai`, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body });
  const query = `verb=GetRecord&metadataPrefix=oai_dc&identifier=${encodeURIComponent(HELLO)}`;
  const posted = await (await send(query)).text();
  assert.equal(posted, await (await fetch(`${server.url}/oai?${query}`)).text());
  assert.equal(parse(posted).error, null);
  assert.equal((await send(`verb=Identify&x=${"x".repeat(9000)}`)).status, 413);
  assert.equal((await fetch(`${server.url}/api/catalog`, { method: "POST", body: "x" })).status, 405);
});
