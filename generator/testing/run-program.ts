/** The command line in this process: for tests whose subject is what a command says, not that a process says it. */
import { runProgram } from "../cli.ts";

export type Ran = { readonly status: number; readonly stdout: string; readonly stderr: string };

/** runHere runs one command and catches what it says; one at a time. */
export async function runHere(args: readonly string[]): Promise<Ran> {
  const said = { stdout: "", stderr: "" };
  const streams = ["stdout", "stderr"] as const;
  const real = streams.map((name) => process[name].write);
  for (const [at, name] of streams.entries()) {
    process[name].write = (chunk: string | Uint8Array, ...more: unknown[]): boolean => {
      // Anything but text is the report of the tests on its way.
      if (typeof chunk !== "string") return Reflect.apply(real[at] as () => boolean, process[name], [chunk, ...more]);
      said[name] += chunk;
      const done = more.at(-1);
      if (typeof done === "function") done();
      return true;
    };
  }
  process.exitCode = 0;
  try {
    await runProgram(args);
    return { status: Number(process.exitCode), ...said };
  } finally {
    process.exitCode = 0;
    for (const [at, name] of streams.entries()) process[name].write = real[at] as typeof process.stdout.write;
  }
}

/** runIn runs one command as runHere does, while this process stands in another folder. */
export async function runIn(cwd: string, args: readonly string[]): Promise<Ran> {
  const before = process.cwd();
  process.chdir(cwd);
  try {
    return await runHere(args);
  } finally {
    process.chdir(before);
  }
}
