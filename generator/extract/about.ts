/** Reads who made an object, when, under which terms, in which language and for which addresses, as the object says itself: in the block before a
 *  Markdown document, \author and \date, the lines below a title, an SPDX header, a licence file, CITATION.cff. The person who wrote the object controls all of it. */
import { FAILSAFE_SCHEMA, load } from "js-yaml";
import type { About, ObjectKind } from "#snapshots/schema";
import { plainIn } from "#snapshots/blocks";
import { findDate } from "./dates.ts";
import { readFrontMatter } from "./front-matter.ts";
import { readArgument } from "./latex-tokens.ts";
import { findLicenceHeader } from "./licence-header.ts";
import { isCitationFile, isLicenceFile } from "./licence-files.ts";
import { shorten } from "./passages.ts";
import { findPersons } from "./persons.ts";

export const NO_ABOUT: About = { authors: [], date: null, license: null };

const HEAD = 20_000; // UTF-16 units in which it has to stand
const TITLE = 4_000; // UTF-16 units in which it stands below a title of markup in lines
const MAX_COMMANDS = 200; // of one file, or beside one name
const MAX_TERMS = 120; // UTF-16 units
const MAX_ADDRESSES = 50;
const MAX_ADDRESS = 300; // UTF-16 units
const LIMITS = { maxDepth: 100, maxAliases: 100 } as const;

/** Licences by their names, and by a sentence that grants what they do, in texts whose white space is folded. Of those of one name the narrower stands
 *  first. */
const LICENCES: readonly (readonly [id: string, name: RegExp | null, grant?: RegExp])[] = [
  ["Apache-2.0", /apache (?:licen[cs]e[, ]+(?:version )?2(?:\.0)?\b|2\.0 licen[cs]e)/i],
  ["AGPL-3.0-only", /gnu affero general public licen[cs]e,? version 3/i],
  ["LGPL-3.0-only", /gnu lesser general public licen[cs]e,? version 3/i],
  ["LGPL-2.1-only", /gnu lesser general public licen[cs]e,? version 2\.1/i],
  ["GPL-3.0-only", /gnu general public licen[cs]e,? version 3/i],
  ["GPL-2.0-only", /gnu general public licen[cs]e,? version 2/i],
  ["MPL-2.0", /mozilla public licen[cs]e,? (?:version )?2\.0/i],
  ["BlueOak-1.0.0", /blue oak model licen[cs]e,? (?:version )?1\.0\.0/i],
  ["CC0-1.0", /cc0 1\.0|creative commons (?:legal code )?cc0/i],
  ["CC-BY-NC-SA-4.0", /(?:attribution-noncommercial-sharealike 4\.0|cc[ -]by-nc-sa[ -]4\.0)/i],
  ["CC-BY-NC-4.0", /(?:attribution-noncommercial 4\.0|cc[ -]by-nc[ -]4\.0)/i],
  ["CC-BY-SA-4.0", /(?:attribution-sharealike 4\.0|cc[ -]by-sa[ -]4\.0)/i],
  ["CC-BY-ND-4.0", /(?:attribution-noderivatives 4\.0|cc[ -]by-nd[ -]4\.0)/i],
  ["CC-BY-4.0", /(?:attribution 4\.0|cc[ -]by[ -]4\.0)/i],
  ["BSD-4-Clause", null, /redistribution and use in source and binary forms.*all advertising materials mentioning/i],
  [
    "BSD-3-Clause",
    /\bbsd 3-clause licen[cs]e/i,
    /redistribution and use in source and binary forms(?!.*all advertising materials).*(?:neither the names?\b|may not be used to endorse)/i,
  ],
  [
    "BSD-2-Clause",
    /\bbsd 2-clause licen[cs]e/i,
    /redistribution and use in source and binary forms(?!.*(?:neither the names?\b|may not be used to endorse|all advertising materials))/i,
  ],
  ["ISC", /\bisc licen[cs]e/i, /permission to use, copy, modify, and(?:\/or)? distribute this software for any .{0,60}granted, provided/i],
  ["0BSD", /\bzero-clause bsd/i, /permission to use, copy, modify, and(?:\/or)? distribute this software for any .{0,60}granted\./i],
  [
    "MIT-0",
    /\bmit no attribution/i,
    /permission is hereby granted, free of charge, to any person obtaining a copy(?!.*subject to the following)/i,
  ],
  ["MIT", /\bmit licen[cs]e\b/i, /permission is hereby granted, free of charge, to any person obtaining a copy.*subject to the following/i],
  ["Unlicense", /^the unlicense$/i, /this is free and unencumbered software released into the public domain/i],
];
const MAX_TITLE_REST = 40; // UTF-16 units behind the name of a licence that is the title of a text

/** readAbout reads what the text of an object says about it.
 *  @param text of an object */
export function readAbout(key: string, kind: ObjectKind, text: string): About {
  const head = text.slice(0, HEAD);
  if (isLicenceFile(key)) return { ...NO_ABOUT, license: findLicenceHeader(head, kind) ?? recognise(head) };
  if (isCitationFile(key)) return aboutOf(parseYaml(head));
  const said = kind === "markdown" || kind === "html" ? aboutOf(readFrontMatter(head).values) : NO_ABOUT;
  const page = kind === "html" ? htmlAbout(head) : NO_ABOUT;
  const lang = said.lang ?? (kind === "html" ? languageOf(/<html\b[^>]*?\slang=["']?([\w-]+)/i.exec(head)?.[1]) : null);
  const latex =
    kind === "latex" || kind === "literate"
      ? latexAbout(head)
      : /^(?:rst|asciidoc|org)$/.test(kind)
        ? titleAbout(head.slice(0, TITLE), kind)
        : leanAbout(head.slice(0, TITLE));
  return {
    authors: [said, latex, page].find(({ authors }) => authors.length > 0)?.authors ?? [],
    date: said.date ?? latex.date ?? page.date,
    license: findLicenceHeader(head, kind) ?? said.license ?? latex.license,
    ...(lang === null ? {} : { lang }),
    ...(said.addresses === undefined ? {} : { addresses: said.addresses }),
  };
}

/** The comment that Mathlib's style puts above each file. */
function leanAbout(head: string): About {
  const [header] = /^\/-\s+Copyright (?:(?!-\/)[^]){1,2000}/.exec(head) ?? [];
  if (header === undefined) return NO_ABOUT;
  const [, names = ""] = /^Authors?:([^\n]*(?:\n[ \t][^\n]*)*)/m.exec(header) ?? [];
  return { authors: findPersons(names), date: null, license: recognise(header) };
}

/** notebookAbout reads the authors out of the metadata of a notebook. */
export function notebookAbout(metadata: unknown): About {
  return {
    ...NO_ABOUT,
    authors: typeof metadata === "object" && metadata !== null ? aboutOf(metadata as Readonly<Record<string, unknown>>).authors : [],
  };
}

/** pdfAbout reads the authors and the date out of the metadata of a PDF. */
export function pdfAbout(author: unknown, created: unknown): About {
  const date = typeof created === "string" ? /^D:(\d{4})(\d\d)(\d\d)/.exec(created) : null;
  return { authors: findPersons(author), date: date === null ? null : findDate(`${date[1]}-${date[2]}-${date[3]}`), license: null };
}

/** The SPDX name of known terms: of those that the text has as its title, else of the only ones that it names or grants. */
function recognise(text: string): string | null {
  const lines = text.replaceAll(/\r|^[\s#*=-]+|[ \t#*=]+$/gm, "").replaceAll(/\n+(?=version\b|cc0)/gi, " ");
  const title = lines.split("\n", 1)[0]?.replace(/^the /i, "") ?? "";
  const folded = text.replaceAll(/\s+/g, " ");
  const isTitle = (name: RegExp): boolean => {
    const found = name.exec(title);
    const rest = title.slice(found?.[0].length ?? 0);
    return found?.index === 0 && rest.length <= MAX_TITLE_REST && !/[.;]|\b(?:is|or|and)\b/.test(rest);
  };
  const named = LICENCES.find(([, name]) => name !== null && isTitle(name));
  if (named !== undefined) return named[0];
  const all = LICENCES.filter(([, name, grant]) => name?.test(folded) === true || grant?.test(folded) === true);
  return all.length === 1 ? (all[0]?.[0] ?? null) : null;
}

function parseYaml(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = load(text, { schema: FAILSAFE_SCHEMA, ...LIMITS });
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    // The reader of the object says that it is none.
    return {};
  }
}

function aboutOf(said: Readonly<Record<string, unknown>>): About {
  const own = (...names: readonly string[]): unknown =>
    names.map((name) => (Object.hasOwn(said, name) ? said[name] : null)).find((value) => value !== null && value !== undefined);
  const people = own("authors", "author");
  const date = own("date-released", "date", "published", "publishDate", "pubDate", "pubDatetime");
  const license = own("license", "licence");
  const terms = typeof license === "string" ? shorten(license.trim(), MAX_TERMS) : "";
  const lang = languageOf(own("lang", "language", "locale"));
  const addresses = ["permalink", "slug", "url", "aliases", "redirect_from"].flatMap((name) => addressesOf(own(name)));
  return {
    authors: findPersons(people),
    date: typeof date === "string" ? findDate(date) : null,
    license: terms === "" ? null : (recognise(terms) ?? terms),
    ...(lang === null ? {} : { lang }),
    ...(addresses.length === 0 ? {} : { addresses: [...new Set(addresses)].slice(0, MAX_ADDRESSES) }),
  };
}

/** The first part of a language tag, in lower case. */
function languageOf(tag: unknown): string | null {
  const [, language] = (typeof tag === "string" ? /^([A-Za-z]{2,3})(?:[-_]|$)/.exec(tag.trim()) : null) ?? [];
  return language?.toLowerCase() ?? null;
}

/** Paths; what is a pattern of them, or another title of the page, is none. */
function addressesOf(said: unknown): readonly string[] {
  return (Array.isArray(said) ? said : [said]).flatMap((one: unknown) => {
    const path =
      typeof one === "string"
        ? one
            .trim()
            .replace(/^[a-z]+:\/\/[^/]*/i, "")
            .replace(/[?#].*$/, "")
        : "";
    return /^[^\s:{}<>"\\]+$/.test(path) && path !== "/" && path.length <= MAX_ADDRESS ? [path.toWellFormed()] : [];
  });
}

/** htmlAbout reads the authors and the date that a page names in its head, and the authors as DocBook writes them below the title. */
function htmlAbout(head: string): About {
  const said = (names: string): readonly string[] =>
    [...head.matchAll(/<meta\s[^<>]*>/gi)].flatMap(([tag]) => {
      const [, name = ""] = /\sname=["']?([\w.:-]+)/i.exec(tag) ?? [];
      const [, , content = ""] = /\scontent=(["'])(.*?)\1/is.exec(tag) ?? [];
      return names.split(" ").includes(name.toLowerCase()) ? [plainIn(content, "html")] : [];
    });
  const written = [...head.matchAll(/<(h[1-6])\s[^<>]*class=["']?author\b[^<>]*>(.*?)<\/\1>/gis)].map(([, , name = ""]) =>
    plainIn(name, "html"),
  );
  const named = [...head.matchAll(/<span\s[^<>]*class=["'][^"'<>]*\bltx_personname\b[^<>]*>(.*?)<\/span>/gis)].map(([, name = ""]) =>
    plainIn(name.replaceAll(/<sup\b[^]*?<\/sup>/gi, ""), "html"),
  );
  const authors = said("author dc.creator dcterms.creator citation_author");
  const date = said("date dc.date dcterms.date citation_date citation_publication_date")[0] ?? "";
  return { ...NO_ABOUT, authors: findPersons([authors, written].find(({ length }) => length > 0) ?? named), date: findDate(date) };
}

/** titleAbout reads the authors and the date that stand below a title: as fields, as settings of Org, or in the two lines of AsciiDoc. */
function titleAbout(head: string, kind: ObjectKind): About {
  const said = (name: string): readonly string[] =>
    [...head.matchAll(new RegExp(`^(?::|#\\+)${name}:[ \\t]+(\\S.*)$`, "gim"))].map(([, value = ""]) => value);
  const below = kind === "asciidoc" ? /^= \S.*\n(?![:/[])(\p{L}[^\n]*)(?:\n(?![:/[])([^\n]+))?/mu.exec(head) : null;
  const [, names = "", revision = ""] = below ?? [];
  const authors = said("authors?");
  const [date = revision.replace(/^v?[\d.]*,?\s*(?=\d{4})/, "")] = [...said("date"), ...said("revdate")];
  return { ...NO_ABOUT, authors: findPersons(authors.length > 0 ? authors : names.split(";")), date: findDate(date.replace(/^[<[]/, "")) };
}

/** Commands whose argument stands beside a name and is no part of it. */
const BESIDE =
  /\\(?:inst|orcidID|orcidlink|orcid|textsuperscript|IEEEauthorrefmark|IEEEauthorblockA|IEEEmembership|thanks|footnote|footnotemark|footnotetext|email|affil|affiliation|institute|address|href|url|corref|fnref|ead|textit|texttt|mbox|vspace|thanksref|authornote|authormark)\*?(?:\[[^\]]{0,100}\])?\s*\{/;

/** latexAbout reads the authors as the class files write them: each \author may name one or several, with marks, notes and addresses beside them. */
function latexAbout(head: string): About {
  const opening = head.replaceAll(/(?<!\\)%.*/g, "");
  const argumentsOf = (command: RegExp): string[] =>
    [...opening.matchAll(command)].slice(0, MAX_COMMANDS).flatMap((found) => readArgument(opening, found.index + found[0].length) ?? []);
  const authors = argumentsOf(/\\(?:author|IEEEauthor)\*?\s*(?:\[[^\]]{0,200}\])?\{/g).flatMap((said) =>
    withoutMarks(said).split(/\\(?:and|AND|And)\b|\\quad\b|\\qquad\b/),
  );
  return {
    authors: findPersons(
      authors.map((author) => {
        // The lines below a name say where the person works.
        const [name = ""] = author.replace(/^(?:\s|\\\\)+/, "").split(/\\\\|\\newline\b/);
        return plainIn(name, "latex")
          .replace(/^\s*\d+\s+/, "")
          .replaceAll(/[\s,]*(?:[*†‡§¶∗]|\d+)(?:\s*,\s*(?:[*†‡§¶∗]|\d+))*(?=\s*(?:,|;|$|\band\b))/gu, "");
      }),
    ),
    date: findDate(plainIn(argumentsOf(/\\date\s*\{/g)[0] ?? "", "latex")),
    license: null,
  };
}

function withoutMarks(said: string): string {
  let text = said
    .replaceAll(/\\IEEEauthorblockN\s*\{/g, "{")
    .replaceAll(/\$\s*\^?\s*\{?[^$]{0,60}\$/g, "")
    .replaceAll(/\\(?:fnmsep|corrauth|protect|small|large|Large|normalsize|bf|rm|it|sc)\b/g, " ");
  for (let found = BESIDE.exec(text), turns = 0; found !== null && turns < MAX_COMMANDS; found = BESIDE.exec(text), turns++) {
    const from = found.index + found[0].length;
    const inside = readArgument(text, from);
    // A name may be set in another face.
    const kept = /^\\(?:textit|mbox)/.test(found[0]) ? (inside ?? "") : "";
    text = `${text.slice(0, found.index)} ${kept}${text.slice(inside === null ? from : from + inside.length + 1)}`;
  }
  return text;
}
