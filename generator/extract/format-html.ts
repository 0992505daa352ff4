/** A tree as HTML text. */
import type { Root } from "hast";
import { toHtml } from "hast-util-to-html";

/** Nodes of type "raw" are written as they are: in a sanitised tree those are ours alone (highlighted code, formulas). */
export function formatHtml(tree: Root): string {
  return toHtml(tree, { allowDangerousHtml: true, characterReferences: { useNamedReferences: true } });
}
