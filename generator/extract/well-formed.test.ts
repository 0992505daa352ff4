/** Half of a surrogate pair has no bytes in UTF-8, so a text that holds one can be written nowhere. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { extract } from "./extract.ts";

/** Paths of all texts in a value that hold half of a pair. */
function findHalves(value: unknown, path = ""): string[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => findHalves(member, `${path}/${name}`));
}

const OWLS = "🦉".repeat(30_000);
const HALF = String.raw`caf\ud83d`;

test("no extract holds half of a surrogate pair, whether it was written or made by cutting", async () => {
  for (const shift of ["", "x"]) {
    const texts: [string, string][] = [
      ["a.json", `{"title":"${HALF}","${HALF}":1}`],
      ["a.json", `{"title":"${shift}${OWLS}"}`],
      ["a.yaml", `title: "${HALF}"\n`],
      ["a.yaml", `title: ${shift}${OWLS}\n`],
      ["a.md", `---\ntitle: "${HALF}"\n---\n\ntext\n`],
      ["a.md", `# caf&#xd83d;\n\n${shift}${OWLS}\n\n## ${shift}${OWLS}\n\ntext $\\char"d83d$\n`],
      ["a.html", `<title>caf&#xd83d;</title><h1>${shift}${OWLS}</h1><h2>${shift}${OWLS}</h2><p>${shift}${OWLS}`],
      ["a.tex", `\\title{${shift}${OWLS}}\\section{${shift}${OWLS}}\n${shift}${OWLS}\n`],
      ["a.csv", `${shift}${OWLS},b\n${shift}${OWLS},2\n`],
      ["a.v", `Lemma ${shift}${OWLS} : True.\n(* ${shift}${OWLS} *)\n`],
      ["a.rs", `/// ${shift}${OWLS}\nfn ${shift}${OWLS}() {}\n`],
      ["a.lean", `/-! # ${shift}${OWLS} -/\ntheorem ${shift}${OWLS} : True := trivial\n`],
      ["a.txt", `${shift}${OWLS}\n===\n\n${shift}${OWLS}\n`],
      [
        "a.pdf",
        "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count 0/Kids[]>> endobj\n" +
          "3 0 obj <</Title<FEFF0063D83D>>> endobj\ntrailer <</Root 1 0 R/Info 3 0 R>>\n",
      ],
      [`${shift}${"🦉".repeat(150)}.txt`, "a"],
      [`${shift}${"🦉".repeat(150)}.bin`, "\0"],
    ];
    for (const [key, text] of texts)
      assert.deepEqual(findHalves(await extract(key, Buffer.from(text))), [], `${key}: ${text.slice(0, 40)}`);
  }
});
