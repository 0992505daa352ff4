/** shownSnapshot returns the id of the snapshot that the page on the screen was sent from, as its own answer said; what is asked for later may
 *  be of another one. Null on a host of files, which names none. */
export function shownSnapshot(): string | null {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const id = navigation?.serverTiming?.find(({ name }) => name === "snapshot")?.description ?? "";
  return /^[0-9a-f]{64}$/.test(id) ? id : null;
}
