// The compiled site is one function: page data in, HTML out. Everything here serves that.
import { defineConfig } from "astro/config";

/** An adapter without a server: `site/entry.ts` exports the function, whoever imports the bundle decides when to call it. */
const pageFunction = {
  name: "page-function",
  hooks: {
    "astro:config:done": ({ setAdapter }) => {
      setAdapter({
        name: "page-function",
        entrypointResolution: "auto",
        serverEntrypoint: new URL("./site/entry.ts", import.meta.url),
        adapterFeatures: { buildOutput: "server" },
        supportedAstroFeatures: { serverOutput: "stable" },
      });
    },
  },
};

// generator/compile-site.ts compiles into a temporary folder and renames it into place.
const outDir = process.env.PROOFSHELF_SITE_OUT ?? "./site/dist";
const cacheDir = process.env.PROOFSHELF_SITE_CACHE ?? "./node_modules/.astro";

export default defineConfig({
  srcDir: "./site",
  publicDir: "./site/public",
  outDir,
  cacheDir,
  output: "server",
  adapter: pageFunction,
  session: false,
  devToolbar: { enabled: false },
  image: { service: { entrypoint: "astro/assets/services/noop" } },
  build: { assets: "assets", inlineStylesheets: "never" },
  logLevel: "warn",
  vite: {
    cacheDir: `${cacheDir}/vite`,
    // Self-contained, so that the bundle's digest covers the runtime that renders, and any folder can import it.
    ssr: { noExternal: true },
    worker: { format: "es" },
    // Never data: URLs or inline scripts: the pages are served with a Content-Security-Policy that allows neither.
    build: { assetsInlineLimit: 0, cssTarget: ["chrome123", "firefox121", "safari17.5"] },
    environments: {
      // Names without hashes: a hash would cover the folder names that compile-site.ts erases.
      ssr: { build: { rolldownOptions: { output: { chunkFileNames: "chunks/[name].mjs" } } } },
    },
  },
});
