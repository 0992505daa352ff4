/** A text that is cut to a length, wherever one is. */

/** cutText returns at most `characters` UTF-16 units, the last of them "…", and no half of a surrogate pair. */
export function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const end = characters - 1;
  const unit = text.charCodeAt(end - 1);
  return `${text.slice(0, unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end)}…`;
}

/** nameSome lists the first of many names, and counts the others. */
export function nameSome(names: readonly (string | number)[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
