/** Papers that LaTeXML has made, as arXiv publishes them: notes, listings and numbered formulas stand in elements of the layout, and say their marks twice. */
import type { Element, ElementContent, Root } from "hast";
import { isUnsaid } from "#snapshots/blocks";
import { codeBlock, element, Footnotes, words } from "./document.ts";
import { classesOf, findAll, startLine, textOf } from "./html-tree.ts";

const isOf =
  (name: string) =>
  (one: Element): boolean =>
    classesOf(one).includes(name);

/** tidyPaper gives the elements of a paper the form of a text: notes at its end, listings as code, formulas in paragraphs. */
export function tidyPaper(main: Root): void {
  const notes = new Footnotes();
  tidy(main, notes);
  const [section] = notes.section();
  if (section?.type !== "element") return;
  for (const child of section.children) if (child.type === "element" && child.tagName === "h9") child.tagName = "h2";
  main.children.push(section);
}

function tidy(node: Root | Element, notes: Footnotes): void {
  const children: (Root | Element)["children"][number][] = [];
  for (const child of node.children) {
    if (child.type === "element") children.push(...tidied(child, classesOf(child), notes));
    else children.push(child);
  }
  node.children = children as typeof node.children;
}

function tidied(child: Element, classes: readonly string[], notes: Footnotes): readonly ElementContent[] {
  if (isUnsaid(classes)) return [];
  const line = startLine(child);
  if (classes.includes("ltx_listing")) {
    const language = classes.find((name) => name.startsWith("ltx_lst_language_"))?.slice("ltx_lst_language_".length) ?? null;
    tidy(child, notes);
    const rows = findAll(child, isOf("ltx_listingline")).map((row) => textOf(row).replaceAll("\u00a0", " ").trimEnd());
    return [codeBlock(rows.length === 0 ? textOf(child) : rows.join("\n"), language, line ?? 0)];
  }
  tidy(child, notes);
  if (classes.includes("ltx_note")) {
    const [content = child] = findAll(child, isOf("ltx_note_content"));
    return [notes.add(content.children)];
  }
  // The layout sets them apart.
  if (classes.some((name) => /^ltx_(?:author_notes|bibblock|contact)$/.test(name))) return [words(" "), child];
  if (!classes.includes("ltx_eqn_table")) return [child];
  const { id } = child.properties;
  const rows = findAll(child, ({ tagName }) => tagName === "tr").map((row) =>
    element(
      "p",
      row.children.flatMap((cell) => (cell.type === "element" ? [...cell.children, words(" ")] : [])),
      {},
      startLine(row),
    ),
  );
  return [element("div", rows, typeof id === "string" ? { id } : {}, line)];
}
