import { readFileSync } from "node:fs";
import { posix } from "node:path";

/** Name of a door in package.json → the path that it stands for. */
let doors: readonly (readonly [string, string])[] | null = null;

const readDoors = (): readonly (readonly [string, string])[] => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return Object.entries((JSON.parse(manifest) as { readonly imports: Readonly<Record<string, string>> }).imports);
};

/** doorOf finds the file that a name such as `#snapshots/shelf` stands for, by the `imports` of package.json and as Node does: the name
 *  itself first, then the longest name with a star that fits.
 *  @returns a path from the project's root; null for what is no such name */
export function doorOf(name: string): string | null {
  if (!name.startsWith("#")) return null;
  doors ??= readDoors();
  const [door, path] =
    doors.find(([one]) => one === name) ??
    [...doors].sort(([a], [b]) => b.length - a.length).find(([one]) => one.endsWith("*") && name.startsWith(one.slice(0, -1))) ??
    [];
  return door === undefined || path === undefined ? null : posix.normalize(path.replace("*", name.slice(door.length - 1)));
}
