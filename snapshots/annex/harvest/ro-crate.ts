/** The snapshot as a Research Object Crate 1.2 (researchobject.org/ro-crate). Addresses are relative, so that it is as true under
 *  /at/<snapshot>/ and in an export as at the root of the library. */
import { absoluteHref, formatKeyPath, type ObjectRow, type ViewData } from "#snapshots/format";
import type { SnapshotRecord } from "#snapshots/shelf";
import { licenceUrl } from "#snapshots/schema";

const RO_CRATE = "https://w3id.org/ro/crate/1.2";

/** Entities in a chunk. */
const AT_ONCE = 200;

type Entity = Readonly<Record<string, unknown>>;

/** roCrate gives the file in chunks: it is as long as the library. */
export function* roCrate(data: ViewData, record: SnapshotRecord): Generator<string> {
  yield `{"@context":"${RO_CRATE}/context","@graph":[\n`;
  let chunk: string[] = [];
  let first = true;
  for (const entity of entitiesOf(data, record)) {
    chunk.push(`${first ? "" : ",\n"}${JSON.stringify(entity)}`);
    first = false;
    if (chunk.length < AT_ONCE) continue;
    yield chunk.join("");
    chunk = [];
  }
  yield `${chunk.join("")}\n]}\n`;
}

function* entitiesOf(data: ViewData, { snapshot, sequence, created }: SnapshotRecord): Generator<Entity> {
  const { library, objects, meta } = data;
  const licences = new Set(objects.map(({ license }) => license));
  const [only] = licences;
  const shared = licences.size === 1 && only !== undefined ? licenceId(only) : TERMS["@id"];
  const tables = [
    ["api/catalog.json", "Every object, with its digest"],
    ["api/claims.json", "Claims"],
    ...(meta === null ? [] : [["api/cubs.json", "Proof records"]]),
  ] as const;
  yield {
    "@id": "ro-crate-metadata.json",
    "@type": "CreativeWork",
    conformsTo: { "@id": RO_CRATE },
    about: { "@id": "./" },
  };
  yield {
    "@id": "./",
    "@type": "Dataset",
    name: library.title,
    description: library.summary === "" ? `Snapshot ${sequence} of ${library.title}` : library.summary,
    datePublished: created,
    version: String(sequence),
    identifier: snapshot,
    url: absoluteHref(data, "/", snapshot),
    license: { "@id": shared },
    publisher: { "@id": "#library" },
    hasPart: [...tables.map(([path]) => ({ "@id": path })), ...objects.map(({ key }) => ({ "@id": fileId(key) }))],
  };
  yield { "@id": "#library", "@type": "Organization", name: library.title, url: absoluteHref(data, "/", null) };
  for (const [path, name] of tables) yield { "@id": path, "@type": "File", name, encodingFormat: "application/json" };
  for (const row of objects) yield fileOf(row);
  for (const name of [...new Set(objects.flatMap(({ authors = [] }) => authors))].sort())
    yield { "@id": personId(name), "@type": "Person", name };
  for (const license of [...licences].filter((one) => one !== undefined).sort())
    yield { "@id": licenceId(license), "@type": "CreativeWork", name: license };
  if (shared === TERMS["@id"]) yield TERMS;
}

function fileOf({ key, title, summary, size, media_type: type, sha256, date, uploaded, authors = [], license, swhid }: ObjectRow): Entity {
  return {
    "@id": fileId(key),
    "@type": "File",
    name: title,
    ...(summary === "" ? {} : { description: summary }),
    contentSize: String(size),
    encodingFormat: type,
    sha256,
    ...(swhid === undefined ? {} : { identifier: swhid }),
    ...(date === undefined ? {} : { datePublished: date }),
    ...(uploaded === null ? {} : { dateModified: uploaded }),
    ...(authors.length === 0 ? {} : { author: authors.map((name) => ({ "@id": personId(name) })) }),
    ...(license === undefined ? {} : { license: { "@id": licenceId(license) } }),
  };
}

/** Terms of a library whose files have several licences, or none. */
const TERMS = {
  "@id": "#terms",
  "@type": "CreativeWork",
  name: "Terms of each file",
  description: "The licence stands beside each file; where none does, none is stated.",
} as const;

const fileId = (key: string): string => `objects/${formatKeyPath(key)}`;
const personId = (name: string): string => `#person-${encodeURIComponent(name.toWellFormed())}`;
const licenceId = (license: string): string => licenceUrl(license) ?? `#licence-${encodeURIComponent(license.toWellFormed())}`;
