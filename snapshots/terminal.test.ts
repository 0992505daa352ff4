import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { CLEAR_LINE, visible } from "./terminal.ts";

/** Clipboard, colour, title, a line drawn over, C1's own introducer, turned text, ends of lines that no editor shows. */
const ORDERS = [
  "\u001b]52;c;aGk=\u0007",
  "\u001b[31m",
  "\u009d0;title\u009c",
  "a\rb",
  "\u009b2J",
  "\u202egnp.exe",
  "\u2066x",
  "\u2028",
  "\u0000",
  "\u007f",
  "\b\b",
];
// oxlint-disable-next-line no-control-regex
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

test("no sign that a terminal obeys is shown as it is, and text in JSON keeps its meaning", () => {
  for (const order of ORDERS) {
    assert.doesNotMatch(visible(`x${order}y`), OBEYED, JSON.stringify(order));
    assert.equal(JSON.parse(visible(JSON.stringify(order))), order);
  }
  const plain = "Zeilen\n\tund Zeichen: é 漢字 👩‍🔬 ﷺ";
  assert.equal(visible(plain), plain);
});

test("a process that is guarded says nothing raw, whoever writes, and clears its own line", () => {
  const script = `import { guardTerminal, CLEAR_LINE } from ${JSON.stringify(join(import.meta.dirname, "terminal.ts"))};
    guardTerminal();
    const text = JSON.parse(process.argv[1]);
    process.stdout.write(CLEAR_LINE + text); console.log(text); console.error(new Error(text)); process.stderr.write(text, () => {});`;
  const args = ["--input-type=module", "-e", script, JSON.stringify(ORDERS.join(" and "))];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.ok(stdout.startsWith(CLEAR_LINE) && stdout.endsWith("\n") && stderr.includes("Error: "));
  assert.doesNotMatch(stdout.slice(CLEAR_LINE.length) + stderr, OBEYED);
});

test("the command line is such a process", () => {
  const program = join(import.meta.dirname, "../generator/cli.ts");
  const { stderr } = spawnSync(process.execPath, [program, "build", `--${ORDERS[0] ?? ""}${ORDERS[5] ?? ""}`], { encoding: "utf8" });
  assert.ok(stderr.includes("52;c;aGk=") && stderr.includes("\\u202egnp.exe"));
  assert.doesNotMatch(stderr, OBEYED);
});
