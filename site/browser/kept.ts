/** The reader's choice of theme and width, set before the page is drawn. It is kept in this browser alone (page.ts). A page of a kept snapshot
 *  leaves room for the words that say so (earlier.ts). */
if (/\/at\/[0-9a-f]{64}\//.test(location.pathname)) document.documentElement.dataset["at"] = "";
for (const name of ["theme", "width"]) {
  try {
    const kept = localStorage.getItem(`reading ${name}`);
    if (kept === null) continue;
    document.documentElement.dataset[name] = kept;
    // The first of its name stands above this script.
    if (name === "theme") document.querySelector("meta[name=color-scheme]")?.setAttribute("content", kept);
  } catch {
    // A browser that keeps nothing shows what its system says.
  }
}
