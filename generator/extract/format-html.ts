/** A tree as HTML text. */
import type { Root } from "hast";
import { toHtml } from "hast-util-to-html";

/** formatHtml writes a tree as HTML. It writes nodes of type "raw" as they are: in a sanitised tree those are ours alone (highlighted code,
 *  formulas). */
export function formatHtml(tree: Root): string {
  return toHtml(tree, { allowDangerousHtml: true, characterReferences: { useNamedReferences: true } });
}
