/** The same documents as pages by Hugo: one page each with its text, highlighted where ours is, and a list for each folder.
 *  Hugo makes no search index, no digests, no API and no snapshot: what it needs is the least that such a site costs. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import type { Corpus } from "./corpus.ts";
import { installed } from "./debian.ts";
import { type Cost, measure } from "./measure.ts";

const LIMIT_S = 600;
/** As Hugo's highlighter names them; anything else is shown as plain text, as ours is. */
const LANGUAGES: Readonly<Record<string, string>> = { ".v": "coq", ".yaml": "yaml" };

const SINGLE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ .Title }}</title></head><body>
<nav>{{ range .Ancestors }}<a href="{{ .RelPermalink }}">{{ .Title }}</a> {{ end }}</nav><h1>{{ .Title }}</h1><main>{{ .Content }}</main>
<nav>{{ with .PrevInSection }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }} {{ with .NextInSection }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</nav></body></html>`;
const LIST = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ .Title }}</title></head><body><h1>{{ .Title }}</h1>
<ul>{{ range .Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul></body></html>`;

/** prepareHugo prepares a site of Hugo.
 *  @returns what builds the site, anew each time; or why not, when Hugo is not there */
export async function prepareHugo(corpus: Corpus, folder: string): Promise<(() => Promise<Cost>) | string> {
  const missing = await installed(["hugo"]);
  if (missing !== null) return missing;
  await mkdir(join(folder, "layouts/_default"), { recursive: true });
  await writeFile(join(folder, "layouts/_default/single.html"), SINGLE);
  await writeFile(join(folder, "layouts/_default/list.html"), LIST);
  await writeFile(
    join(folder, "config.json"),
    JSON.stringify({
      baseURL: "https://example.org/",
      title: "The same documents",
      disableKinds: ["RSS", "taxonomy", "term"],
      markup: { highlight: { noClasses: false } },
    }),
  );
  for (const [at, key] of corpus.keys.entries()) {
    const text = await readFile(join(corpus.root, key), "utf8");
    const ending = extname(key);
    const head = `${JSON.stringify({ title: basename(key) })}\n\n`;
    const html = ending === ".html";
    // A fence longer than any in the text; a number in the name, because two keys may differ only in their ending.
    const body = html ? text : `~~~~~~~~~~~~${LANGUAGES[ending] ?? ""}\n${text}\n~~~~~~~~~~~~\n`;
    const path = join(folder, "content", dirname(key).toLowerCase(), `${at}${html ? ".html" : ".md"}`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, head + body);
  }
  return async () => {
    await rm(join(folder, "public"), { recursive: true, force: true });
    return measure(["hugo", "--quiet", "--source", folder], { limit_s: LIMIT_S });
  };
}
