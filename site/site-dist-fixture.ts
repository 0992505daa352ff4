/** Where the compiled pages lie: `openRenderer(findSiteDist())`. generator/pages/compile-site.ts puts them there. */
import { fileURLToPath } from "node:url";

export function findSiteDist(): string {
  return fileURLToPath(new URL("./dist", import.meta.url));
}
