/** The file whose fault it is that another was not compiled: an adapter names the file that is needed, and here the last of that chain is found. */

const NEED = /^It needs (.+), which did not compile\.$/;

export function describeNeed(path: string): string {
  return `It needs ${path}, which did not compile.`;
}

/** complaintIn cuts what a prover prints down to what it complains of: without Coq's warnings before it, and Agda's list of what it was checking.
 *  Lines without words are left out. */
export function complaintIn(log: string): string[] {
  const lines = log.split("\n").filter((line) => line.trim() !== "" && !/^\s*Checking \S+ \(.*\)\.$/.test(line));
  const error = lines.findIndex((line) => /^\s*(?:Syntax )?[Ee]rror\b/.test(line));
  const place = lines.slice(0, Math.max(0, error)).findLastIndex((line) => line.startsWith('File "'));
  return place < 0 ? lines : lines.slice(place);
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

/** describeCause gives what a prover said of a file, or of the one that has to be mended for it, however many lie between. */
export function describeCause(path: string, logs: ReadonlyMap<string, string>): string[] {
  const root = rootOf(path, logs);
  const words = complaintIn(root.log);
  return root.path === path ? words : [`It needs ${root.path}, directly or by others, which did not compile:`, ...words];
}
