/** The same Markdown texts by programs that make sites of them, one after the other: what each costs from nothing, after one changed
 *  file, and after none, as each does it in production. A program that cannot be had here is left out, with a line. */
import { execFile } from "node:child_process";
import { appendFile, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { installed } from "./debian.ts";
import type { Figure } from "./figure.ts";
import { runCommand, writeConfig } from "./library.ts";
import { type Cost, measure } from "./measure.ts";

const run = promisify(execFile);
const SIZES = [2_000, 10_000];
const LIMIT_S = 3_600;
const INSTALL_LIMIT_MS = 10 * 60 * 1000;
const TEXT_BYTES = 5_000;
const IN_A_FOLDER = 100;
/** The words of the texts: those of this program's own guides, so that they read as English to whoever looks. */
const GUIDES = new URL("../guides/library/guides/", import.meta.url);
const SECTIONS = 5;

const MAX_BUILD_OF_STARLIGHT = 0.4;
const MAX_EXPORT_OF_STARLIGHT = 0.8;

/** A Peer makes a site out of `texts/`: `prepare` says why it cannot be had, or null. */
type Peer = {
  readonly name: string;
  readonly prepare: (home: string, texts: string) => Promise<string | null>;
  /** Commands in their order; each is started in the peer's folder. */
  readonly commands: (home: string) => readonly (readonly string[])[];
  /** Folder of what is read; `texts` where none is named. */
  readonly texts?: string;
  /** Folder of what was made. */
  readonly output: string;
};

type Made = { readonly files: ReadonlyMap<string, number>; readonly bytes: number; readonly pages: number };
type Run = { readonly cost: Omit<Cost, "stdout" | "stderr" | "by_process">; readonly made: Made; readonly written: number };
type Measured = { readonly cold: Run; readonly changed: Run; readonly same: Run };

/** benchPeers measures each peer, and this program, over texts of each size.
 *  @param folder a new one
 *  @param objects how many texts; undefined for 2,000 and for 10,000 */
export async function benchPeers(folder: string, objects: number | undefined): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const size of objects === undefined ? SIZES : [objects]) figures.push(...(await benchSize(join(folder, String(size)), size)));
  return figures;
}

async function benchSize(folder: string, objects: number): Promise<readonly Figure[]> {
  const size = `${objects.toLocaleString("en")} texts`;
  const costs = new Map<string, number>();
  const figures: Figure[] = [];
  for (const peer of [...PEERS, ...OURS]) {
    process.stderr.write(`  ${peer.name}, ${size} …\n`);
    const found = await measurePeer(peer, join(folder, peer.name.replaceAll(/\W+/g, "-").toLowerCase()), objects).catch(String);
    if (typeof found === "string") {
      figures.push({
        figure: `${peer.name}, ${size}`,
        value: Number.NaN,
        unit: "s",
        target: null,
        note: `left out: ${found.slice(0, 300)}`,
      });
      continue;
    }
    costs.set(peer.name, found.cold.cost.cpu_s);
    figures.push({ figure: `${peer.name}, ${size}`, value: found.cold.cost.cpu_s, unit: "s", target: null, note: formatRuns(found) });
  }
  const starlight = costs.get("Starlight");
  const ratio = (name: string, most: number): readonly Figure[] => {
    const own = costs.get(name);
    if (starlight === undefined || own === undefined) return [];
    const note = `seconds of processor: ${own.toFixed(1)} of ${starlight.toFixed(1)}`;
    return [{ figure: `${name}, of Starlight, ${size}`, value: own / starlight, unit: "×", target: { at: "most", value: most }, note }];
  };
  return [...figures, ...ratio("proofshelf build", MAX_BUILD_OF_STARLIGHT), ...ratio("proofshelf build + export", MAX_EXPORT_OF_STARLIGHT)];
}

async function measurePeer(peer: Peer, home: string, objects: number): Promise<Measured | string> {
  const texts = join(home, peer.texts ?? "texts");
  const keys = await writeTexts(texts, objects);
  const missing = await peer.prepare(home, texts);
  if (missing !== null) return missing;
  const cold = await runPeer(peer, home, new Map());
  await appendFile(join(texts, keys[Math.floor(objects / 2)] ?? ""), "\nOne line more.\n");
  const changed = await runPeer(peer, home, cold.made.files);
  return { cold, changed, same: await runPeer(peer, home, changed.made.files) };
}

/** @param before files that were there, with the time at which each was written */
async function runPeer(peer: Peer, home: string, before: ReadonlyMap<string, number>): Promise<Run> {
  await run("sync");
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  let [wall_s, cpu_s, peak_mb] = [0, 0, 0];
  for (const command of peer.commands(home)) {
    const cost = command[0] === "" ? await runCommand(command.slice(1)) : await measure(command, { cwd: home, env, limit_s: LIMIT_S });
    wall_s += cost.wall_s;
    cpu_s += cost.cpu_s;
    peak_mb = Math.max(peak_mb, cost.peak_mb);
  }
  const made = await lookAt(join(home, peer.output));
  const written = [...made.files].filter(([path, time]) => before.get(path) !== time).length;
  return { cost: { wall_s, cpu_s, peak_mb }, made, written };
}

async function lookAt(folder: string): Promise<Made> {
  const files = new Map<string, number>();
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs, size } = await stat(path);
    files.set(path.slice(folder.length), mtimeMs);
    bytes += size;
  }
  return { files, bytes, pages: [...files.keys()].filter((path) => path.endsWith(".html")).length };
}

function formatRuns({ cold, changed, same }: Measured): string {
  const cost = ({ cost, written }: Run): string =>
    `${cost.cpu_s.toFixed(1)} s (clock ${cost.wall_s.toFixed(1)} s), ${written} files written`;
  const { files, bytes, pages } = cold.made;
  return `clock ${cold.cost.wall_s.toFixed(1)} s, ${cold.cost.peak_mb.toFixed(0)} MB of memory; ${pages} pages, ${files.size} files, ${(bytes / 1e6).toFixed(1)} MB; one changed ${cost(changed)}; none ${cost(same)}`;
}

/** Writes texts of some 5 kB with sections, emphasis, a list, a link and code; the same numbers give the same texts.
 *  @returns keys in the order of their numbers */
async function writeTexts(root: string, objects: number): Promise<readonly string[]> {
  const keys: string[] = [];
  const vocabulary = await wordsOfGuides();
  for (let at = 0; at < objects; at++) {
    const key = `part-${Math.floor(at / IN_A_FOLDER)}/text-${at}.md`;
    if (at % IN_A_FOLDER === 0) await mkdir(dirname(join(root, key)), { recursive: true });
    await writeFile(join(root, key), textOf(at, objects, vocabulary));
    keys.push(key);
  }
  return keys;
}

/** wordsOfGuides returns each plain word of the guides once, the shorter first: the usual ones are short. */
async function wordsOfGuides(): Promise<readonly string[]> {
  const words = new Set<string>();
  for (const name of await readdir(GUIDES))
    if (name.endsWith(".md"))
      for (const [word] of (await readFile(new URL(name, GUIDES), "utf8")).matchAll(/\b[a-z]{2,14}\b/g)) words.add(word);
  return [...words].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

function textOf(number: number, objects: number, vocabulary: readonly string[]): string {
  const random = randomFrom(number + 1);
  const word = (): string => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? "";
  const sentence = (): string => {
    const words = Array.from({ length: 8 + Math.floor(random() * 10) }, word);
    return `${words[0]?.replace(/^./, (first) => first.toUpperCase()) ?? ""} ${words.slice(1).join(" ")}.`;
  };
  const paragraph = (): string => Array.from({ length: 5 }, sentence).join(" ");
  const other = Math.floor(random() * objects);
  const link = `[${sentence()}](../part-${Math.floor(other / IN_A_FOLDER)}/text-${other}.md)`;
  const parts = [`---\ntitle: "Text ${number}"\n---\n`];
  for (let section = 0; section < SECTIONS; section++) {
    parts.push(`## Part ${section + 1}\n`, `${paragraph()}\n`, `- **${sentence()}**\n- ${sentence()}\n- *${sentence()}*\n`);
    if (section === 1) parts.push(`${link}\n`);
    if (section === 2) parts.push(`\`\`\`js\nconst ${word()}_${number} = ${number};\nconsole.log(${number});\n\`\`\`\n`);
  }
  while (parts.join("\n").length < TEXT_BYTES) parts.push(`${paragraph()}\n`);
  return parts.join("\n");
}

/** Numbers from 0 to 1, the same for the same seed: a linear congruential generator. */
function randomFrom(seed: number): () => number {
  let state = (seed * 2_654_435_761) % 2 ** 32;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Installs packages of npm, of the versions given, into a folder of their own. */
async function npmInstall(home: string, packages: readonly string[]): Promise<string | null> {
  await writeFile(join(home, "package.json"), JSON.stringify({ name: "peer", private: true, type: "module" }));
  try {
    await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: home, timeout: INSTALL_LIMIT_MS });
    return null;
  } catch (error) {
    return `npm could not install ${packages.join(", ")}: ${String(error).slice(0, 200)}`;
  }
}

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ title }}</title></head><body><h1>{{ title }}</h1><main data-pagefind-body>{{ content | safe }}</main></body></html>`;
const HUGO_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ .Title }}</title></head><body><h1>{{ .Title }}</h1><main>{{ .Content }}</main></body></html>`;
const HUGO_LIST = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ .Title }}</title></head><body><ul>{{ range .Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul></body></html>`;

const PEERS: readonly Peer[] = [
  {
    name: "Hugo",
    output: "public",
    commands: () => [["hugo", "--quiet"]],
    prepare: async (home, texts) => {
      const missing = await installed(["hugo"]);
      if (missing !== null) return missing;
      await mkdir(join(home, "layouts/_default"), { recursive: true });
      await writeFile(join(home, "layouts/_default/single.html"), HUGO_PAGE);
      await writeFile(join(home, "layouts/_default/list.html"), HUGO_LIST);
      const config = { baseURL: "https://example.org/", title: "Texts", contentDir: texts, disableKinds: ["RSS", "taxonomy", "term"] };
      await writeFile(join(home, "config.json"), JSON.stringify(config));
      return null;
    },
  },
  {
    name: "Eleventy",
    output: "_site",
    commands: () => [["node", "node_modules/@11ty/eleventy/cmd.cjs", "--quiet"]],
    prepare: prepareEleventy,
  },
  {
    name: "Eleventy + Pagefind",
    output: "_site",
    commands: () => [
      ["node", "node_modules/@11ty/eleventy/cmd.cjs", "--quiet"],
      ["node_modules/.bin/pagefind", "--site", "_site"],
    ],
    prepare: prepareEleventy,
  },
  {
    name: "Starlight",
    output: "dist",
    commands: () => [["node", "node_modules/astro/bin/astro.mjs", "build", "--silent"]],
    prepare: async (home, texts) => {
      await mkdir(join(home, "src/content"), { recursive: true });
      await symlink(texts, join(home, "src/content/docs"));
      await writeFile(
        join(home, "src/content.config.ts"),
        `import { defineCollection } from "astro:content";\nimport { docsLoader } from "@astrojs/starlight/loaders";\nimport { docsSchema } from "@astrojs/starlight/schema";\nexport const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };\n`,
      );
      // Its own sidebar names every page on every page, which is quadratic: a site of this size has none, or one of a few links.
      await writeFile(
        join(home, "astro.config.mjs"),
        `import { defineConfig } from "astro/config";\nimport starlight from "@astrojs/starlight";\nexport default defineConfig({ integrations: [starlight({ title: "Texts", sidebar: [{ label: "First", link: "/part-0/text-0/" }] })] });\n`,
      );
      return npmInstall(home, ["astro@7.3.5", "@astrojs/starlight@0.42.4"]);
    },
  },
  {
    name: "MkDocs",
    output: "site",
    commands: () => [["mkdocs", "build", "--quiet"]],
    prepare: async (home) => {
      const missing = await installed(["mkdocs"]);
      if (missing !== null) return missing;
      await writeFile(join(home, "texts/index.md"), "# Texts\n");
      // A navigation of its own for the same reason as in Starlight.
      await writeFile(
        join(home, "mkdocs.yml"),
        "site_name: Texts\ndocs_dir: texts\nuse_directory_urls: true\nnav: [index.md]\nplugins: [search]\n",
      );
      return null;
    },
  },
];

async function prepareEleventy(home: string, texts: string): Promise<string | null> {
  await mkdir(join(home, "_includes"), { recursive: true });
  await writeFile(join(home, "_includes/page.njk"), PAGE);
  await writeFile(join(texts, "texts.json"), JSON.stringify({ layout: "page.njk" }));
  await writeFile(
    join(home, "eleventy.config.js"),
    `export default function () { return { dir: { input: "texts", includes: "../_includes" }, markdownTemplateEngine: false }; }\n`,
  );
  return npmInstall(home, ["@11ty/eleventy@3.1.8", "pagefind@1.6.0"]);
}

const CONFIG = (home: string): string => join(home, "proofshelf.yaml");

async function prepareOurs(home: string): Promise<null> {
  await writeConfig(home, "Texts", ["texts"]);
  return null;
}

const OURS: readonly Peer[] = [
  {
    name: "proofshelf build",
    texts: "library/texts",
    output: "shelf",
    prepare: prepareOurs,
    commands: (home) => [["", "build", "--config", CONFIG(home)]],
  },
  {
    name: "proofshelf build + export",
    texts: "library/texts",
    output: "site",
    prepare: prepareOurs,
    commands: (home) => [
      ["", "build", "--config", CONFIG(home)],
      ["", "export", join(home, "site"), "--config", CONFIG(home)],
    ],
  },
];
