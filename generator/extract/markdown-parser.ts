/** Markdown to hast, by satteri. Its package takes native code wherever there is a build of it, and native code that a document takes
 *  over has the whole process: here it is always WebAssembly. Its import of "#binding" is led to satteri-binding.ts. */
import { registerHooks } from "node:module";

const hooks = registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "#binding" && context.parentURL?.includes("/satteri/") === true
      ? { url: new URL("satteri-binding.ts", import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
});
export const { markdownToHast } = await import("satteri");
hooks.deregister();
