/** The demo library as one site for all browser tests of a worker: two snapshots, served with and without answers, and exported. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { appendFile, readFile, rm, utimes } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { test as base } from "playwright/test";
import { copyBuiltDemo } from "../snapshots/contract/built-demo.ts";
import { openStaticServer } from "../snapshots/contract/static-server.ts";

const CLI = join(import.meta.dirname, "..", "generator", "cli.ts");
/** START_MS is enough for two builds of the demo library on two busy cores; milliseconds. */
export const START_MS = 600_000;

/** The model's answer to a prompt; it may take its time. */
type Behaviour = (user: string, response: ServerResponse) => Promise<void>;

export class Demo {
  readonly folder: string;
  readonly config: string;
  /** Behaves as the next question needs it. */
  behaviour: Behaviour = async () => undefined;
  /** Addresses that end in a slash: of files and search, of a plain host of the exported files, and of a service that answers. */
  site = "";
  files = "";
  service = "";
  /** The link that lets somebody in at the service. */
  link = "";
  readonly #children: ChildProcess[] = [];
  readonly #model: Server;
  #host: Awaited<ReturnType<typeof openStaticServer>> | null = null;

  private constructor(folder: string) {
    this.folder = folder;
    this.config = join(folder, "proofshelf.yaml");
    this.#model = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: string }[] };
        response.writeHead(200, { "content-type": "text/event-stream" });
        void this.behaviour(messages.at(-1)?.content ?? "", response).then(() => response.end("data: [DONE]\n\n"));
      });
    });
  }

  static async open(): Promise<Demo> {
    const demo = new Demo(await copyBuiltDemo());
    const changed = join(demo.folder, "library/notes/percent-signs.md");
    await appendFile(changed, "\nOne more sentence, for the second snapshot.\n");
    await utimes(changed, new Date("2026-03-04T05:06:07Z"), new Date("2026-03-04T05:06:07Z"));
    // The object is not the pinned file any more, so that one is gated.
    await appendFile(join(demo.folder, "library/proofs/small-numbers/src/bounds.rs"), "// Later.\n");
    await demo.run("build");
    await demo.run("export", join(demo.folder, "export"));
    demo.#host = await openStaticServer(join(demo.folder, "export"));
    demo.files = demo.#host.url;
    await new Promise<void>((resolve) => demo.#model.listen(0, "127.0.0.1", resolve));
    const { port } = demo.#model.address() as AddressInfo;
    await appendFile(demo.config, `\nanswers: { baseUrl: "http://127.0.0.1:${port}/v1", model: a-model }\n`);
    [demo.site, demo.service] = await Promise.all([demo.#serve("--only", "site"), demo.#serve("--no-rate-limits", "--try-internal")]);
    return demo;
  }

  /** Runs a command of the command line on the library. @returns what it printed */
  async run(...args: readonly string[]): Promise<string> {
    return (await promisify(execFile)(process.execPath, [CLI, ...args, "--config", this.config])).stdout;
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map((child) => new Promise((resolve) => child.once("exit", resolve).kill())));
    this.#model.closeAllConnections();
    this.#model.close();
    await this.#host?.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  #serve(...options: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, [CLI, "serve", "--config", this.config, "--port", "0", "--json", ...options], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, AI_GATEWAY_ID: "" },
    });
    this.#children.push(child);
    const started = new Promise<string>((resolve, reject) => {
      let said = "";
      let complaints = "";
      child.stdout.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        const line = said.split("\n").find((text) => text.includes('"url"'));
        if (line !== undefined) resolve(`${(JSON.parse(line) as { readonly url: string }).url.replace(/\/$/, "")}/`);
      });
      child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
      child.once("exit", (code) => reject(new Error(`serve ended with ${code}: ${complaints}`)));
    });
    if (!options.includes("--try-internal")) return started;
    child.stderr.on("data", (chunk: Buffer) => {
      const file = /the link is in (\S+)/.exec(chunk.toString())?.[1];
      if (file !== undefined) void readFile(file, "utf8").then((link) => (this.link = link.trim()));
    });
    return started;
  }
}

export const test = base.extend<object, { demo: Demo }>({
  demo: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from the pattern that nothing else is needed.
    async ({}, use) => {
      const demo = await Demo.open();
      await use(demo);
      await demo.close();
    },
    { scope: "worker", timeout: START_MS },
  ],
});
