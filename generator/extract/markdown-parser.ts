/** Markdown to hast, by satteri.
 *
 *  Its package takes native code wherever there is a build of it, and WebAssembly only for browsers. Native code that a
 *  stranger's document takes over has the whole process, so here it is always WebAssembly, with the same trees: satteri's
 *  import of "#binding" is led to satteri-binding.ts, by the loader here and by the bundler in compile-worker.ts. */
import { registerHooks } from "node:module";

const hooks = registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "#binding" && context.parentURL?.includes("/satteri/") === true
      ? { url: new URL("satteri-binding.ts", import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
});
export const { markdownToHast } = await import("satteri");
hooks.deregister();
