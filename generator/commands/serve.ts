/** `proofshelf serve`: starts the server as a process of its own, tells it what to serve, and prints one line when it is ready. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ShelfError } from "../../snapshots/errors.ts";
import type { ServerMessage, SiteServing, StarterMessage } from "../../snapshots/serving.ts";
import { build, openShelves, VERSION } from "../build.ts";
import type { CommonOptions } from "../cli.ts";
import { compileSite } from "../compile-site.ts";
import { type Config, openConfig } from "../config.ts";
import { liveCatalog } from "../live-catalog.ts";
import { openProgress } from "../progress.ts";

const SITE_MAIN = fileURLToPath(new URL("../../site/main.ts", import.meta.url));
/** What the site process must never see, even if the operator's shell has it. */
const SECRET = /^(REINDEX_TOKEN|AI_GATEWAY_ID|INFERENCE_API_KEY|AWS_.*)$/;

export type ServeOptions = CommonOptions & { readonly port: string; readonly host: string; readonly build?: boolean; readonly only?: "site" | "sidecar" };

export async function runServe(options: ServeOptions): Promise<void> {
  const port = /^[0-9]{1,5}$/.test(options.port) ? Number(options.port) : Number.NaN;
  if (!(port <= 65_535)) throw new ShelfError("bad_config", "--port takes a number from 0 to 65535.");
  const config = await openConfig(options.config ?? null, { checkSources: options.build === true });
  if (options.build === true) {
    const progress = openProgress();
    await build(config, { progress });
    progress.end();
  }
  const { dist } = await compileSite();
  const { publicDir } = openShelves(config);
  const serving: SiteServing = { part: "site", host: options.host, port, publicDir, dist, version: VERSION };
  await startServer(SITE_MAIN, serving, config, options.json === true);
}

async function startServer(main: string, serving: SiteServing, config: Config, json: boolean): Promise<void> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !SECRET.test(name)));
  const child = fork(main, [], { env, execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const send = (message: StarterMessage<SiteServing>): boolean => child.send(message);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  await new Promise<void>((resolve, reject) => {
    child.on("message", (message: ServerMessage) => {
      if (message.type === "listing") {
        void liveCatalog(config).then(
          (catalog) => send({ type: "listing", id: message.id, catalog }),
          () => send({ type: "listing", id: message.id, catalog: null }),
        );
      } else if (message.type === "ready") {
        const { url, snapshot } = message;
        process.stdout.write(
          json ? `${JSON.stringify({ url, snapshot })}\n` : `Serving ${snapshot === null ? "no snapshot yet" : `snapshot ${snapshot.slice(0, 12)}`} at ${url}/\n`,
        );
      } else {
        reject(Object.assign(new Error(message.message), { code: message.code }));
        child.kill();
      }
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (code === 0 || signal === "SIGTERM" || signal === "SIGINT") resolve();
      else reject(new ShelfError("internal", `The server ended with ${signal ?? `exit code ${code}`}.`));
    });
    send({ type: "serve", serving });
  });
}
