/** What a reader chose of theme and width, set before the page is drawn. It is kept in this browser alone (page.ts). */
for (const name of ["theme", "width"]) {
  try {
    const kept = localStorage.getItem(`reading ${name}`);
    if (kept !== null) document.documentElement.dataset[name] = kept;
  } catch {
    // A browser that keeps nothing shows what its system says.
  }
}
