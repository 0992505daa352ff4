/** A compiler lets a test strike the calls of a process. */
import { spawnSync } from "node:child_process";

const isThere = process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0;
export const SKIP_WITHOUT_COMPILER = { skip: isThere ? false : "needs Linux and a C compiler" };
