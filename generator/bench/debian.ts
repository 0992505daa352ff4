/** Debian's packages, installed when a benchmark asks for them and may. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const INSTALL_LIMIT_MS = 10 * 60 * 1000;

/** installed looks whether packages are installed.
 *  @returns null when all are there, else why not */
export async function installed(packages: readonly string[]): Promise<string | null> {
  const missing: string[] = [];
  for (const name of packages) if (!(await isInstalled(name))) missing.push(name);
  if (missing.length === 0) return null;
  if (process.getuid?.() !== 0) return `needs the Debian packages ${missing.join(", ")}; install them, or run as root`;
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...missing], {
      env,
      timeout: INSTALL_LIMIT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return null;
  } catch {
    return `the Debian packages ${missing.join(", ")} could not be installed`;
  }
}

async function isInstalled(name: string): Promise<boolean> {
  const found = await run("dpkg-query", ["-W", "-f", "${Status}", name]).catch(() => null);
  return found?.stdout.endsWith(" installed") ?? false;
}
