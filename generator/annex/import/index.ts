/** The import annex makes objects of a BibTeX, Zenodo or CSV list, one a work, with its credits.
 *  It gives `import` to the command line.
 *  Nothing is fetched, and nothing outside of the store is written. */
export { runImport } from "./import-command.ts";
