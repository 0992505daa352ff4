// The compiled site is one function: page data in, HTML out. Everything here serves that.
import node from "@astrojs/node";
import { defineConfig } from "astro/config";

/** The Node adapter in middleware mode with an entry of ours: `site/entry.ts` exports the page function, and whoever imports
 *  the bundle decides when to call it. Its middleware wants Node's request and response for every page and gives half as
 *  many pages a second. */
const adapter = node({ mode: "middleware" });
const configDone = adapter.hooks["astro:config:done"];
adapter.hooks["astro:config:done"] = (context) =>
  configDone?.({
    ...context,
    setAdapter: (settings) =>
      context.setAdapter({ ...settings, serverEntrypoint: new URL("./site/entry.ts", import.meta.url), previewEntrypoint: undefined }),
  });

/** Pages of annexes lie with them. */
const annexPages = {
  name: "annex-pages",
  hooks: {
    "astro:config:setup": ({ injectRoute }) => {
      for (const page of ["diff", "revisions", "snapshots"])
        injectRoute({ pattern: `/${page}`, entrypoint: new URL(`./site/annex/history/${page}.astro`, import.meta.url) });
    },
  },
};

/** ENGINE lists packages that stay outside the compiled files. Pages and scripts get them through a face, which imports more than they use. */
const ENGINE = ["@lancedb/lancedb"];

// generator/pages/compile-site.ts compiles into a temporary folder and renames it into place.
const outDir = process.env.PROOFSHELF_SITE_OUT ?? "./site/dist";
const cacheDir = process.env.PROOFSHELF_SITE_CACHE ?? "./node_modules/.astro";

export default defineConfig({
  srcDir: "./site",
  publicDir: "./site/public",
  outDir,
  cacheDir,
  output: "server",
  adapter,
  integrations: [annexPages],
  session: false,
  devToolbar: { enabled: false },
  image: { service: { entrypoint: "astro/assets/services/noop" } },
  build: { assets: "assets", inlineStylesheets: "never" },
  logLevel: "warn",
  vite: {
    cacheDir: `${cacheDir}/vite`,
    // Self-contained, so that the bundle's digest covers the runtime that renders, and any folder can import it.
    ssr: { noExternal: true, external: ENGINE },
    worker: { format: "es", rolldownOptions: { external: ENGINE } },
    // Never data: URLs or inline scripts: the pages are served with a Content-Security-Policy that allows neither.
    build: { assetsInlineLimit: 0, cssTarget: ["chrome123", "firefox121", "safari17.5"] },
    environments: {
      // Names without hashes: a hash would cover the folder names that compile-site.ts erases.
      ssr: { build: { rolldownOptions: { output: { chunkFileNames: "chunks/[name].mjs" } } } },
    },
  },
});
