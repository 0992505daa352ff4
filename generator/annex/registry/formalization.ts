/** formalization.yaml: what a project says of its main results, its authors and models, where it leaves its source, and who has reviewed it; versions
 *  0.1 to 0.4 of https://github.com/mathlib-initiative/formalization.yaml. It is its authors' word, and is shown as that. */
import { z } from "zod";
import type { Formalization } from "#snapshots/schema";
import { parseLocatedYaml } from "#generator/config";

/** Members that nobody filled in stand there as empty texts and lists; what has another form than is expected counts as not there. */
const word = z.coerce.string().catch("").default("");
const words = z.array(word).catch([]).default([]);
const method = z.object({ method: word, models: words });

const schema = z.object({
  project: z.object({ name: word, authors: words }).prefault({}).catch({ name: "", authors: [] }),
  sources: z
    .array(z.object({ title: word, id: word }))
    .catch([])
    .default([]),
  automation: z
    .object({ method: word, models: words, methods: z.array(method).catch([]).default([]) })
    .prefault({})
    .catch({ method: "", models: [], methods: [] }),
  status: z
    .object({
      main_results: z
        .array(z.object({ declaration: word, file: word }))
        .catch([])
        .default([]),
    })
    .prefault({})
    .catch({ main_results: [] }),
  fidelity: z.object({ divergences: word }).prefault({}).catch({ divergences: "" }),
  review: z.object({ status: word, reviewers: words }).prefault({}).catch({ status: "", reviewers: [] }),
});

export const FORMALIZATION = "formalization.yaml";
const MAX_WORDS = 1000; // UTF-16 units of one text
const MAX_NAMES = 50;

/** readFormalization reads what a project says of itself. @returns the reason where it is no such file */
export function readFormalization(repo: string, bytes: Uint8Array): Formalization | string {
  const yaml = parseLocatedYaml(bytes);
  const [problem] = yaml.problems;
  if (problem !== undefined) return `${FORMALIZATION}:${problem.line}: ${problem.what}`;
  const read = schema.safeParse(yaml.value);
  if (!read.success) return `${FORMALIZATION}:1: is no list of members`;
  const { project, sources, automation, status, fidelity, review } = read.data;
  const methods = [{ method: automation.method, models: automation.models }, ...automation.methods];
  return {
    repo,
    name: cut(project.name),
    authors: cutAll(project.authors),
    sources: sources
      .filter(({ title }) => title !== "")
      .slice(0, MAX_NAMES)
      .map(({ title, id }) => ({ title: cut(title), id: cut(id) })),
    methods: cutAll(methods.map((one) => one.method)),
    models: cutAll(methods.flatMap(({ models }) => models)),
    divergences: cut(fidelity.divergences),
    review: cut(review.status),
    reviewers: cutAll(review.reviewers),
    main: cutAll(status.main_results.map(({ declaration }) => declaration)).map((name) => ({ name })),
  };
}

function cut(text: string): string {
  return text.trim().slice(0, MAX_WORDS).toWellFormed();
}

function cutAll(texts: readonly string[]): string[] {
  return [...new Set(texts.map(cut))].filter((text) => text !== "").slice(0, MAX_NAMES);
}

/** withIds gives each main result the record that has its name: the whole name, or else the last part of it where one record alone has that. */
export function withIds(
  { main, ...said }: Formalization,
  records: readonly { readonly id: string; readonly repo: string; readonly name: string }[],
): Formalization {
  const own = records.filter(({ repo }) => repo === said.repo);
  const idOf = (name: string): string | undefined => {
    const [whole] = own.filter((one) => one.name === name);
    const ending = own.filter((one) => one.name.endsWith(`.${name}`) || name.endsWith(`.${one.name}`));
    return whole?.id ?? (ending.length === 1 ? ending[0]?.id : undefined);
  };
  return {
    ...said,
    main: main.map(({ name }) => {
      const id = idOf(name);
      return { name, ...(id === undefined ? {} : { id }) };
    }),
  };
}
