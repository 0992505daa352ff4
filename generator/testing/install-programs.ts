/** Programs of Debian that tests run: a browser, proof checkers and what they are shut into, a compiler, two caching proxies. */
import { spawnSync, type SpawnSyncOptions } from "node:child_process";

/** installPrograms installs what is missing of them, when this may be done. */
export function installPrograms(): void {
  const wanted: readonly { program: string; packages: readonly string[]; instead?: string }[] = [
    // The browser without windows takes half the processor of the whole one, which does as well where nothing can be installed.
    { program: "chromium-headless-shell", packages: ["chromium-headless-shell"], instead: "chromium" },
    { program: "coqc", packages: ["coq"] },
    { program: "bwrap", packages: ["bubblewrap"] },
    { program: "metamath", packages: ["metamath", "metamath-databases"] },
    { program: "cc", packages: ["gcc", "libc6-dev"] },
    { program: "nginx", packages: ["nginx-light"] },
    { program: "varnishd", packages: ["varnish"] },
    // Debian keeps servers where only root's PATH looks.
  ];
  const isThere = (program: string): boolean => spawnSync("sh", ["-c", `PATH="$PATH:/usr/sbin"; command -v ${program}`]).status === 0;
  const mayInstall = process.getuid?.() === 0 && isThere("apt-get");
  const missing = wanted.filter(({ program, instead }) => !isThere(program) && (mayInstall || instead === undefined || !isThere(instead)));
  if (missing.length === 0) return;
  const names = missing.flatMap(({ packages }) => packages);
  if (!mayInstall) {
    process.stderr.write(
      `Not installed: ${names.join(", ")}. Tests that need them are skipped; to run them: sudo apt-get install ${names.join(" ")}\n`,
    );
    return;
  }
  process.stderr.write(`Installing ${names.join(", ")} …\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const quiet: SpawnSyncOptions = { env, stdio: ["ignore", "ignore", process.stderr] };
  spawnSync("apt-get", ["update", "-qq"], quiet);
  if (spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...names], quiet).status !== 0) {
    process.stderr.write(`apt-get could not install ${names.join(", ")}; tests that need them are skipped.\n`);
  }
}

if (import.meta.main) installPrograms();
