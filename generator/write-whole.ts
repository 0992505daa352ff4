/** Small files that builds keep for each other: whole or not there at all, whatever ends the process. */
import { rename, writeFile } from "node:fs/promises";

export async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { flush: true });
  await rename(`${path}.new`, path);
}
