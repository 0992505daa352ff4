/** The text of a passage that a model of meaning reads, and its name in the cache of vectors. */
import { sha256 } from "#snapshots/digest";

const MAX_TEXT = 2000;

export type Embeddable = { readonly title: string; readonly heading: string; readonly name: string; readonly text: string };

/** embedText gives title, innermost heading and name where the text does not begin with them, then the text: what it is about comes first, because
 *  a small model reads only the beginning. Markdown's signs at line starts say nothing. */
export function embedText({ title, heading, name, text }: Embeddable): string {
  const body = text
    .replaceAll(/^[#=\-*>\s]+|[*_`#]{2,}/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const parts: string[] = [];
  for (const part of [title, heading.split(" › ").at(-1) ?? "", name]) {
    if (part !== "" && !parts.includes(part) && !body.startsWith(part)) parts.push(part);
  }
  return [...parts, body]
    .filter((part) => part !== "")
    .join(". ")
    .slice(0, MAX_TEXT)
    .toWellFormed();
}

export function embedDigest(text: string): string {
  return sha256(text);
}
