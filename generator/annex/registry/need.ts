/** Whose fault it is that a file was not compiled: an adapter names the file that is needed, and here the last of that chain is found. */

const NEED = /^It needs (.+), which did not compile\.$/;

export function describeNeed(path: string): string {
  return `It needs ${path}, which did not compile.`;
}

/** rootOf follows what files need. @param logs what was printed of each @returns the file that has to be mended, and what was printed of it */
export function rootOf(path: string, logs: ReadonlyMap<string, string>): { readonly path: string; readonly log: string } {
  const seen = new Set<string>();
  for (let at = path; ; ) {
    const log = logs.get(at) ?? "";
    const needed = NEED.exec(log)?.[1];
    if (needed === undefined || seen.has(at)) return { path: at, log };
    seen.add(at);
    at = needed;
  }
}
