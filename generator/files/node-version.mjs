/** The Node that runs proofshelf. Plain JavaScript that any Node reads, because it is asked before anything else. */

/** OLDEST is the oldest version of Node that is supported: earlier ones warn that SQLite is an experiment. */
export const OLDEST = [24, 15];

export function isTooOld(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
