/** The harvest annex answers harvesters: OAI-PMH, DataCite, RO-Crate and OpenSearch.
 *  It gives routes, files and models to the service.
 *  Everything in it follows from the snapshot, and nothing gated is named. */
export { HARVEST_HANDLERS } from "./answers.ts";
export { HARVEST_FILES, HARVEST_ROWS } from "./rows.ts";
