/** A query that must find something: what whoever runs a search knows of its index without knowing what was written. */
import type { ViewData } from "#snapshots/format";
import type { IndexReader } from "#snapshots/index";
import { search } from "./search.ts";

/** findSearchProblem searches for the first object, claim or record by its name.
 *  @returns what is wrong, in words, or null
 *  @throws ShelfError "search_unavailable" */
export async function findSearchProblem(reader: IndexReader, data: ViewData): Promise<string | null> {
  const name = data.objects[0]?.key ?? data.claims.claims[0]?.id ?? data.cubs[0]?.id;
  if (name === undefined) return null;
  const found = await search(reader, { q: name, prefix: "", limit: 1 });
  return found.length > 0 ? null : "A search for something that the snapshot holds finds nothing.";
}
