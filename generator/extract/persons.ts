/** Names of persons, out of what documents say of their authors. */
import { shorten } from "./passages.ts";

const MAX_AUTHORS = 50;
const MAX_NAME = 120; // UTF-16 units

/** A name that holds such a word is that of a body, in which "and" and "&" join no persons. */
const BODY =
  /\b(?:of|for|the|institute?|universit\w+|department|group|team|project|society|association|consortium|committee|company|inc|ltd|gmbh|sons?|contributors|developers|authors|foundation|council)\b/i;
const IDENTIFIER = /\(?\s*(?:https?:\/\/)?(?:www\.)?(?:orcid(?:\.org\/|[:\s]+))?\d{4}-\d{4}-\d{4}-\d{3}[\dX]\s*\)?/gi;
const ADDRESS = /[<([]?\s*(?:mailto:)?[^\s<>()[\],;]+@[^\s<>()[\],;]+\s*[>)\]]?/g;
const LINK = /[<([]\s*https?:[^\s<>()[\]]*\s*[>)\]]/g;

/** The place of a person, behind a name. */
const PLACE = /(?<=\p{L}\s)\([^()]{3,200}\)(?=\s*(?:[,;&]|and\b|$))/gu;

/** Stands for the comma before a suffix, which divides no names. */
const SUFFIX = "\u{f0000} ";

/** findPersons finds the names in what stands for authors: a text that may name several, a mapping with parts of a name, or a list of either. Addresses
 *  and ORCID iDs are no part of a name.
 *  @returns each name once, at most 50, in their order */
export function findPersons(said: unknown): readonly string[] {
  const names = textsOf(said).flatMap(splitNames);
  return [...new Set(names)].slice(0, MAX_AUTHORS);
}

function textsOf(said: unknown): readonly string[] {
  if (typeof said === "string") return [said];
  if (Array.isArray(said)) return said.flatMap(textsOf);
  if (typeof said !== "object" || said === null) return [];
  const own = (...names: readonly string[]): string =>
    (names
      .map((name): unknown => (Object.hasOwn(said, name) ? Reflect.get(said, name) : ""))
      .find((part) => typeof part === "string" && part !== "") as string) ?? "";
  const name: unknown = Object.hasOwn(said, "name") ? Reflect.get(said, "name") : undefined;
  if (typeof name === "object") return textsOf(name);
  const whole = [
    own("given", "given-names", "givenName", "first", "first_name"),
    own("non-dropping-particle", "dropping-particle", "name-particle", "particle"),
    own("family", "family-names", "familyName", "last", "last_name"),
    own("suffix", "name-suffix"),
  ].filter((part) => part !== "");
  return [typeof name === "string" ? name : whole.length > 0 ? whole.join(" ") : own("literal", "alias")];
}

function splitNames(text: string): readonly string[] {
  const bare = text
    .replaceAll(IDENTIFIER, " ")
    .replaceAll(LINK, " ")
    .replaceAll(ADDRESS, " ")
    .replaceAll(PLACE, "")
    .replaceAll(/\s+/g, " ");
  return bare
    .replaceAll(/(?<=[^\s,;]\s[^,;]{1,60}),\s+(?=(?:[JS]r\b\.?|I{2,3}|IV)(?:\s*[,;&]|\s+and\b|\s*$))/g, SUFFIX)
    .split(/\s*[;\n]\s*/)
    .flatMap(splitJoined)
    .map((name) => shorten(name.replaceAll(/^[\s,;]+|[\s,;]+$/g, "").replaceAll(SUFFIX, ", "), MAX_NAME).toWellFormed())
    .filter((name) => /\p{L}/u.test(name) && !/^(?:and|et al\.?|others)$/i.test(name));
}

/** "A B, C D and E F" names three, "Ruiz, Ana" one, and so does "Institute of Science and Technology". */
function splitJoined(text: string): readonly string[] {
  const parts = text.split(/\s*,\s*and\s+|\s*,\s*&\s*|\s+and\s+|\s*&\s*|\s*,\s+/);
  const all = parts.filter((part) => part !== "");
  const arePersons = all.every((part) => /\s/.test(part.trim()) && !BODY.test(part));
  if (all.length > 1 && arePersons) return all;
  const joined = text.split(/\s+and\s+|\s+&\s+/);
  return joined.length > 1 && !BODY.test(text) && joined.every((part) => /^[^\s,]+,\s*\S/.test(part) || !part.includes(" "))
    ? joined
    : [text];
}
