/** Tells what `serve` says of addresses, and lets in to what is gated somebody who tries his library on his own machine. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ShelfError } from "#snapshots/errors";
import type { Config } from "#generator/config";

type Asked = { readonly host: string; readonly only?: "site" | "sidecar"; readonly tryInternal?: boolean; readonly demo?: boolean };

/** Hosts that listen everywhere: nobody can open them. */
const EVERY_ADDRESS = /^(?:0\.0\.0\.0|\[?::\]?)$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** checkTrial refuses a trial that others could use: the link lets in whoever has it, so it must be good on this machine alone. @throws ShelfError
 *  "bad_config" */
export function checkTrial(config: Config, options: Asked): void {
  if (options.tryInternal !== true) return;
  if (options.only === "site")
    throw new ShelfError(
      "bad_config",
      "--try-internal lets you in to what is gated, which --only site never has; leave one of the two out.",
    );
  if (!LOOPBACK.test(options.host))
    throw new ShelfError("bad_config", `--try-internal is for this machine alone, and --host is ${options.host}.`, {
      fixes: ["Leave --host out to look at it yourself.", "To let others in: write an access section into proofshelf.yaml."],
    });
  if (config.trustProxy !== null)
    throw new ShelfError("bad_config", "--try-internal is for this machine alone, and trustProxy says that a proxy lets others in.", {
      fixes: ["Take trustProxy out of the configuration that you try this with."],
    });
}

/** letsIn tells whether the person who starts the server gets a link that lets him in; the demo's on this machine needs no word for it. */
export function letsIn(config: Config, { tryInternal, demo, host }: Asked): boolean {
  return tryInternal === true || (demo === true && config.access === null && LOOPBACK.test(host));
}

/** describeAddress tells which address readers are told, when it is not the one that the server listens at. */
export function describeAddress(baseUrl: string, url: string): readonly string[] {
  const [said, real] = [new URL(baseUrl), new URL(url)];
  if (said.origin === real.origin) return [];
  const port = said.port || (said.protocol === "https:" ? "443" : "80");
  const fix = EVERY_ADDRESS.test(real.hostname)
    ? "Write the address that readers use as baseUrl."
    : LOOPBACK.test(said.hostname)
      ? `For the same address everywhere: --port ${port}${LOOPBACK.test(real.hostname) && said.hostname !== real.hostname ? ` --host ${said.hostname}` : ""}, or baseUrl: ${real.origin}`
      : "That is right when a proxy or a CDN at that address passes requests on to here.";
  return [`Links in citations, feeds and llms.txt lead to ${baseUrl} (baseUrl), and this is ${url}. ${fix}`];
}

/** showTrial shows the link on a terminal, which forgets it. Other output may be a log that is kept, so there the link lies in a file that only
 *  its owner can read, for as long as the server runs. */
export function showTrial(url: string, token: string, ended: AbortSignal): void {
  const link = `${url}/internal/try?token=${token}`;
  if (process.stderr.isTTY)
    return void process.stderr.write(
      `What is gated, for you on this machine until tomorrow: ${link}\nPrograms send the token as the header edge-access-token.\n`,
    );
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-try-"));
  const file = join(folder, "link");
  writeFileSync(file, `${link}\n`, { mode: 0o600 });
  ended.addEventListener("abort", () => rmSync(folder, { recursive: true, force: true }), { once: true });
  process.stderr.write(`What is gated, for you on this machine until tomorrow: the link is in ${file}\n`);
}
