import assert from "node:assert/strict";
import { test } from "node:test";
import type { Chrome } from "#snapshots/page";
import { cloneCommand, reportHref } from "./source-link.ts";

test("the command that fetches a record's repository follows from the address of its line, and from nothing else", () => {
  const revision = "0851004f1f2e3d4c5b6a79880011223344556677";
  const clone = (line: string | null): string | null => cloneCommand(line, revision);
  assert.equal(
    clone(`https://github.com/ada/it/blob/${revision}/A.v#L3`),
    `git clone https://github.com/ada/it.git copy && cd copy && git checkout ${revision}`,
  );
  assert.match(clone(`https://gitlab.com/a/b/c/-/blob/${revision}/A.v#L3`) ?? "", /^git clone https:\/\/gitlab\.com\/a\/b\/c\.git /);
  assert.deepEqual(
    [clone(null), clone("https://example.org/A.v#L3"), cloneCommand("https://github.com/a/b/blob/x/A.v", "main; rm")],
    [null, null, null],
  );
});

test("a mistake is reported by mail or on a page of the web, with the thing named; nowhere else", () => {
  const chrome = (report: string | null): Chrome => ({ report, library: "L", canonical: "https://l.example/registry/CUB-0001/" }) as Chrome;
  assert.match(
    reportHref(chrome("ada@example.org"), "t & u", "CUB-0001") ?? "",
    /^mailto:ada@example\.org\?subject=A%20mistake%20in%20t%20%26%20u/,
  );
  assert.match(reportHref(chrome("https://forge.example/new?x=1"), "t", "n") ?? "", /^https:\/\/forge\.example\/new\?x=1&title=A\+mistake/);
  assert.equal(reportHref(chrome(null), "t", "n"), null);
});
