/** What satteri calls of its parser, as WebAssembly that can do nothing but compute. The package's own loader would give it the whole
 *  file system and threads; this one gives it a clock and random numbers. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { instantiateNapiModuleSync, type WASIInstance } from "@emnapi/core";
import { getDefaultContext } from "@emnapi/runtime";
import { WASI } from "@tybys/wasm-util";

const INITIAL_PAGES = 1024; // of 64 KiB; the program declares 985
const MAX_PAGES = 8192; // 512 MiB
export const MARKDOWN_WASM = "markdown.wasm";

function load(): Record<string, unknown> {
  const beside = fileURLToPath(new URL(MARKDOWN_WASM, import.meta.url));
  const path = existsSync(beside)
    ? beside
    : fileURLToPath(import.meta.resolve("@bruits/satteri-wasm32-wasi/satteri_napi.wasm32-wasi.wasm"));
  // Shared, because the program was built so; there are no threads to share it with.
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAX_PAGES, shared: true });
  const { napiModule } = instantiateNapiModuleSync(readFileSync(path), {
    context: getDefaultContext(),
    asyncWorkPoolSize: 0,
    wasi: new WASI({ version: "preview1" }) as unknown as WASIInstance,
    onCreateWorker() {
      throw new Error("the Markdown parser gets no threads");
    },
    overwriteImports(imports) {
      imports["env"] = { ...imports["env"], ...imports["napi"], ...imports["emnapi"], memory };
      return imports;
    },
    beforeInit({ instance }) {
      for (const [name, start] of Object.entries(instance.exports)) {
        if (name.startsWith("__napi_register__")) (start as () => void)();
      }
    },
  });
  return napiModule.exports as Record<string, unknown>;
}

export const {
  applyCommandsAndCompileHandle,
  applyCommandsAndConvertToHastHandle,
  applyCommandsAndRenderHandle,
  applyCommandsToHandle,
  applyCommandsToMdastHandle,
  applyMdastCommandsAndConvertAndCompile,
  applyMdastCommandsAndConvertAndRender,
  compileHandle,
  compileMdx,
  convertMdastToHastHandle,
  createHastHandle,
  createHastHandleFromHtml,
  createHastHandleWithFrontmatter,
  createMdastHandle,
  createMdxHastHandle,
  createMdxHastHandleWithFrontmatter,
  createMdxMdastHandle,
  dropHandle,
  getHandleSource,
  getMdastFrontmatter,
  getNodeData,
  markdownToHtmlFast,
  markdownToJsFast,
  mdastTextContentHandle,
  mdxToJsFast,
  parseEsm,
  parseExpression,
  parseToHtml,
  renderHandle,
  serializeHandle,
  setNodeData,
  textContentHandle,
  walkHandle,
  walkMdastHandle,
} = load();
