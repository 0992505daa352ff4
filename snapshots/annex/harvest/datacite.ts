/** The snapshot as DataCite metadata (schema 4.6, as JSON). It has no DOI: whoever registers one adds it. */
import { absoluteHref, type ViewData, countOf } from "#snapshots/format";
import type { SnapshotRecord } from "#snapshots/shelf";
import { licenceUrl } from "#snapshots/schema";

const SCHEMA = "http://datacite.org/schema/kernel-4";

export function dataCite(data: ViewData, { snapshot, sequence, created }: SnapshotRecord): object {
  const { library, objects, claims, cubs } = data;
  const url = absoluteHref(data, "/", snapshot);
  const authors = [...new Set(objects.flatMap(({ authors = [] }) => authors))].sort();
  const licences = [...new Set(objects.flatMap(({ license }) => license ?? []))].sort();
  const bytes = objects.reduce((sum, { size }) => sum + size, 0);
  return {
    schemaVersion: SCHEMA,
    url,
    types: { resourceTypeGeneral: "Collection", resourceType: "Snapshot of a library" },
    // The library's maker has one name alone: its title. The authors of its objects contributed.
    creators: [{ name: library.title, nameType: "Organizational" }],
    contributors: authors.map((name) => ({ name, contributorType: "Other" })),
    titles: [{ title: library.title }],
    publisher: { name: library.title },
    publicationYear: created.slice(0, 4),
    dates: [{ date: created, dateType: "Issued" }],
    version: String(sequence),
    alternateIdentifiers: [{ alternateIdentifier: snapshot, alternateIdentifierType: "SHA-256 of the root tree" }],
    relatedIdentifiers: [
      { relatedIdentifier: absoluteHref(data, "/", null), relatedIdentifierType: "URL", relationType: "IsVersionOf" },
      {
        relatedIdentifier: absoluteHref(data, "/ro-crate-metadata.json", snapshot),
        relatedIdentifierType: "URL",
        relationType: "HasMetadata",
        relatedMetadataScheme: "RO-Crate",
        schemeUri: "https://w3id.org/ro/crate/1.2",
      },
    ],
    sizes: [
      countOf(objects.length, "file"),
      countOf(bytes, "byte"),
      countOf(claims.claims.length, "claim"),
      countOf(cubs.length, "proof record"),
    ],
    formats: [...new Set(objects.map(({ media_type: type }) => type.split(";")[0] ?? type))].sort(),
    rightsList: licences.map((license) => {
      const href = licenceUrl(license);
      return href === null
        ? { rights: license }
        : { rights: license, rightsUri: href, rightsIdentifier: license, rightsIdentifierScheme: "SPDX" };
    }),
    descriptions: library.summary === "" ? [] : [{ description: library.summary, descriptionType: "Abstract" }],
  };
}
