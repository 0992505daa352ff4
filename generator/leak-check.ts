/** Before publication: nothing gated or private may be in a public byte. A finding stops the build. */
import type { Extract } from "../snapshots/schema/extract.ts";
import type { Shelves } from "./build.ts";
import type { Views } from "./project.ts";
import type { Draft } from "./publish.ts";

export async function checkLeaks(_options: {
  readonly views: Views;
  readonly shelves: Shelves;
  readonly drafts: Readonly<Record<"public" | "internal", Draft>>;
  readonly extract: (key: string) => Promise<Extract>;
  readonly privateTexts: readonly string[];
}): Promise<void> {}
