import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { ShelfError } from "../../snapshots/errors.ts";
import { openConfig, parseConfig, readAccess } from "./config.ts";
import { listConfigFields } from "../testing/config-fields.ts";
import "../annexes.ts";

const folder = mkdtempSync(join(tmpdir(), "config-"));
mkdirSync(join(folder, "library"));
after(() => rmSync(folder, { recursive: true, force: true }));

const GOOD = [
  "title: Example",
  "store: { kind: directory, root: ./library }",
  "collections:",
  "  - { id: notes, prefix: notes/, title: Notes, visibility: public }",
].join("\n");

function problemsOf(text: string | Uint8Array): string[] {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  try {
    parseConfig(bytes, join(folder, "proofshelf.yaml"));
  } catch (error) {
    assert.ok(error instanceof ShelfError, String(error));
    assert.equal(error.code, "bad_config");
    assert.equal(error.message, error.errors.map((problem) => problem.detail).join("\n"));
    return error.errors.map((problem) => problem.detail.replace(`${folder}/proofshelf.yaml:`, ""));
  }
  return [];
}

test("a bomb of aliases is refused before it is expanded", () => {
  const bomb = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
  for (let level = 98; level < 120; level++) {
    const name = String.fromCharCode(level);
    bomb.push(
      `${name}: &${name} [${Array(10)
        .fill(`*${String.fromCharCode(level - 1)}`)
        .join(",")}]`,
    );
  }
  assert.match(problemsOf(bomb.join("\n"))[0] ?? "", /^2: aliases expand to more than 100/);
});

test("nesting that would overflow a parser is refused, in every notation", () => {
  const bombs = [
    "[".repeat(400_000),
    "{a: ".repeat(200_000),
    "- ".repeat(400_000),
    "? ".repeat(400_000),
    `${"[".repeat(120)}${"]".repeat(120)}`,
  ];
  bombs.push(Array.from({ length: 1_200 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"));
  for (const bomb of bombs) {
    const found = problemsOf(bomb);
    assert.equal(found.length, 1, bomb.slice(0, 20));
    assert.match(found[0] ?? "", /deep/, bomb.slice(0, 20));
  }
});

test("an allowance says for which public file, what, and why", () => {
  const told = (entry: string): string => problemsOf(`${GOOD}\nleaks: { allow: [${entry}] }`).join("\n");
  assert.equal(told("{ public: notes/a.md, text: some words, reason: The manual says so. }"), "");
  assert.equal(told("{ public: notes/*, gated: drafts/b.md, reason: Written for both. }"), "");
  assert.match(told("{ public: notes/a.md, text: some words }"), /^5: leaks\.allow\[0\]\.reason is missing/);
  assert.match(
    told("{ public: notes/a.md, text: some words, reason: '' }"),
    /^5: leaks\.allow\[0\]\.reason is empty; write why it may be public/,
  );
  assert.match(told("{ text: some words, reason: Why. }"), /^5: leaks\.allow\[0\]\.public is missing/);
  assert.match(told("{ public: notes/a.md, reason: Why. }"), /^5: leaks\.allow\[0\] allows nothing; write text, or gated/);
  assert.match(told("{ public: notes/a.md, test: some words, reason: Why. }"), /test is not a known key.*text/s);
});

test("what is no YAML at all gives one line with its number", () => {
  const cases: [string | Uint8Array, RegExp][] = [
    ["", /^1: the file is empty/],
    ["# a comment\n", /^1: the file is empty/],
    ["null", /^1: the file is empty/],
    ["just words", /^1: is text; write a mapping/],
    ["- 1", /^1: is a list; write a mapping/],
    ["a: 1\n\tb: 2\n", /^2: a tab is used/],
    ["a: 1\n---\nb: 2\n", /^2: a second document/],
    ["a: &x 1\nb: *y\n", /^2: refers to an anchor/],
    ["a: !!binary aGk=\n", /^1: an explicit tag/],
    ["? [a]\n: 1\n", /^1: a key is not plain text/],
    ["a: { b: 1\nc: 2\n", /^2: a \{ above is not closed; write its \}$/],
    ["a: [1, 2\nb: 1\n", /^2: a \[ above is not closed; write its \]$/],
    ["a: }\n", /^1: a bracket is closed that was not opened/],
    ["a: { b: 1 c: 2 }\n", /^1: a comma is missing/],
    ["a: b: c\n", /^1: a value holds a colon and a space/],
    ["a:\n  b: 1\n c: 2\n", /^3: is not indented as the keys beside it/],
    ["a:b\nc: 1\n", /^1: is neither a key with its colon and a space/],
    ["a: @x\n", /^1: a value begins with a sign that YAML keeps/],
    ["a: 'it's'\n", /^1: a quote ends before the value does/],
    ["a: - b\n", /^1: a dash begins an item beside a key/],
    ['a: "x\\q"\n', /^1: a backslash in double quotes/],
    [Uint8Array.of(97, 58, 32, 49, 10, 98, 58, 32, 0xff, 10), /^2: is not UTF-8/],
    ["x".repeat(1024 * 1024 + 1), /^1: the file has 1048577 bytes/],
  ];
  for (const [text, expected] of cases) assert.match(problemsOf(text).join("\n"), expected);
});

test("a secret in the file is refused, said where it belongs, and not repeated", () => {
  for (const key of ["password", "secret", "apiKey", "api_key", "REINDEX_TOKEN", "token", "secretAccessKey"]) {
    const [problem, ...more] = problemsOf(`${GOOD}\n${key}: hunter2-canary\n`);
    assert.deepEqual(more, []);
    assert.match(problem ?? "", /^5: .*looks like a secret.*environment/);
    assert.doesNotMatch(problem ?? "", /hunter2/);
  }
  assert.match(problemsOf(`${GOOD}\nbaseUrl: https://me:hunter2@example.org\n`)[0] ?? "", /^5: baseUrl holds credentials/);
  const pair = `${GOOD}\naccess:\n  serviceTokens:\n    - name: ci\n      id: ci\n      secretSha256: hunter2\n`;
  assert.match(problemsOf(pair)[0] ?? "", /^9: access\.serviceTokens\[0\]\.secretSha256 is not a SHA-256 digest/);
  assert.doesNotMatch(problemsOf(pair)[0] ?? "", /hunter2/);
});

test("every problem is told at once, in the order of the lines", () => {
  const found = problemsOf(
    [
      "titel: x",
      "baseUrl: ftp://x",
      "store: { kind: folder, root: x }",
      "collections:",
      "  - { id: Notes, prefix: notes, title: N, visibility: secret }",
      "  - { id: a, prefix: a/../b/, title: N, visibility: public }",
      "  - id: a",
      "    prefix: /c/",
      "    visibility: public",
      "claims: { path: ./none.yaml }",
      "registry: {}",
      "embeddings: { kind: openai, baseUrl: http://x, model: m, dimensions: 0 }",
      "titel: y",
    ].join("\n"),
  );
  assert.deepEqual(
    found.map((problem) => problem.replace(/[;:,] .*/, "")),
    ["1", "2", "3", "5", "5", "5", "6", "7", "7", "8", "10", "11", "12", "13"],
  );
  assert.match(found.join("\n"), /did you mean "title"/);
  assert.match(found.join("\n"), /collections\[2\]\.id "a" is taken by collections\[1\]/);
  assert.match(found.join("\n"), /collections\[0\]\.prefix does not end in "\/"; write "notes\/"/);
  assert.match(found.join("\n"), /claims\.path does not exist/);
});

test("prefixes may nest with another visibility, but not repeat or hold dot segments, NUL or empty segments", () => {
  const collection = (prefix: string, id: string) =>
    `  - { id: ${id}, prefix: ${JSON.stringify(prefix)}, title: T, visibility: email-gated }`;
  assert.deepEqual(problemsOf(`${GOOD}\n${collection("notes/private/", "p")}\n${collection("", "rest")}`), []);
  for (const prefix of ["notes/", "../", "a/./", "a//", "a\u0000/", "/"]) {
    const found = problemsOf(`${GOOD}\n${collection(prefix, "p")}`);
    assert.equal(found.length, 1, JSON.stringify(prefix));
    assert.match(found[0] ?? "", /^5: collections\[1\]\.prefix/);
  }
});

test("a shelf inside the store is refused, also by way of a link", () => {
  symlinkSync("library", join(folder, "link"));
  for (const root of ["./library", "library/shelf", "./link/shelf", "library/../library/x"]) {
    assert.match(problemsOf(`${GOOD}\nshelf: { kind: directory, root: ${root} }`)[0] ?? "", /^5: shelf\.root lies inside the store/);
  }
  assert.deepEqual(problemsOf(`${GOOD}\nshelf: { kind: directory, root: ./library-shelf }`), []);
});

test("a missing store, a file as store and a folder as claims are told with their lines", () => {
  writeFileSync(join(folder, "file"), "");
  assert.match(problemsOf(GOOD.replace("./library", "./gone"))[0] ?? "", /^2: store\.root does not exist; write the path of a folder/);
  assert.match(
    problemsOf(GOOD.replace("./library", "./libary"))[0] ?? "",
    /^2: store\.root does not exist; did you mean "library"\? Write/,
  );
  assert.match(problemsOf(GOOD.replace("./library", "./file"))[0] ?? "", /^2: store\.root is a file/);
  assert.match(problemsOf(`${GOOD}\nclaims: { path: library }`)[0] ?? "", /^5: claims\.path is a folder/);
});

test("sign-in of its own: what it needs is told, what belongs to a gateway is not heard beside it, and no token of anybody is taken", () => {
  const own = (lines: string): string => `${GOOD}\naccess:\n  kind: oidc\n${lines}`;
  const right = "  issuer: https://idp.example.org\n  clientId: library\n  allow: { domains: [Example.org], groups: [readers] }";
  assert.deepEqual(problemsOf(own(right)), []);
  const { access } = parseConfig(Buffer.from(own(right)), "proofshelf.yaml", { checkSources: false });
  assert.deepEqual(access?.oidc, {
    issuer: "https://idp.example.org",
    clientId: "library",
    groups: ["readers"],
    groupsClaim: "groups",
    sessionHours: 12,
  });
  assert.deepEqual([access?.issuer, access?.jwks, access?.policy.domains], [null, null, ["example.org"]]);
  assert.match(problemsOf(own("  issuer: https://idp.example.org")).join("\n"), /access\.clientId is missing[^]*access\.allow is missing/);
  for (const [lines, told] of [
    [right.replace("https", "http"), /access\.issuer is not the https address of a provider/],
    [right.replace(/\{.*\}/, "{}"), /access\.allow lets nobody in/],
    [`${right}\n  jwks: ./keys.json`, /access\.jwks is heard only with kind: gateway/],
    [
      `${right}\n  policy: { emails: [ada@example.org] }`,
      /access\.policy\.emails is not heard with kind: oidc; write it under allow\.emails/,
    ],
  ] as const)
    assert.match(problemsOf(own(lines)).join("\n"), told);
  const gateway = "  issuer: https://i.example\n  audience: a\n  jwks: https://i.example/keys";
  assert.match(problemsOf(`${GOOD}\naccess:\n${gateway}\n  clientId: a`).join("\n"), /access\.clientId is heard only with kind: oidc/);
});

test("the gate needs what it checks against", () => {
  const found = problemsOf(`${GOOD}\naccess:\n  jwks: http://keys.example.org/jwks\n  policy: { serviceTokens: [nobody] }`);
  assert.match(found.join("\n"), /access\.jwks is not a file or an https address/);
  assert.match(found.join("\n"), /access\.issuer is missing/);
  assert.match(found.join("\n"), /access\.audience is missing/);
  assert.match(found.join("\n"), /names no entry of access\.serviceTokens; known: none/);
  assert.match(problemsOf(`${GOOD}\naccess: {}`)[0] ?? "", /^5: access lets nobody in/);
});

test("a good file gets defaults, absolute paths and null for what it leaves out", async () => {
  const path = join(folder, "good.yaml");
  writeFileSync(
    path,
    `\uFEFF${GOOD}\nbaseUrl: https://library.example.org/\nregistry: { url: "https://r.example.org/cubs?x=1" }\naccess:\n  serviceTokens: [{ name: ci, id: ci.example, secretSha256: ${"A".repeat(64)} }]\n`,
  );
  const config = await openConfig(path);
  assert.equal(config.baseUrl, "https://library.example.org");
  assert.deepEqual(config.store, { kind: "directory", root: join(folder, "library"), include: [], exclude: [], fullListingEvery: 100 });
  assert.deepEqual(config.shelf, { kind: "directory", root: join(folder, "snapshots/data") });
  assert.deepEqual(config.registry, { url: "https://r.example.org/cubs?x=1", internalFields: [], license: null });
  assert.deepEqual([config.uploaded, config.keep], ["auto", null]);
  assert.equal(config.access?.serviceTokens[0]?.secretSha256, "a".repeat(64));
  assert.equal(config.access?.headers.token, "edge-access-token");
  assert.deepEqual([config.claims, config.code, config.answers, config.gateway], [null, null, null, null]);
  assert.deepEqual(config.embeddings, { kind: "embedded" });
  assert.equal(config.collections[0]?.summary, "");
});

test("a kind of model that there is not is refused with the kinds that there are", async () => {
  const path = join(folder, "local.yaml");
  writeFileSync(path, `${GOOD}\nembeddings: { kind: local, path: ./model, dimensions: 384 }\n`);
  await assert.rejects(openConfig(path), /embeddings\.kind .*embedded.*none.*openai/);
});

test("a path that is missing or a folder says so, and readers of a shelf need no sources", async () => {
  await assert.rejects(openConfig(join(folder, "none.yaml")), /none\.yaml: does not exist/);
  await assert.rejects(openConfig(folder), /is a folder/);
  const path = join(folder, "unmounted.yaml");
  writeFileSync(path, GOOD.replace("./library", "./gone"));
  assert.equal((await openConfig(path, { checkSources: false })).title, "Example");
});

test("a bucket is accepted, with AWS's defaults", () => {
  const config = parseConfig(new TextEncoder().encode(GOOD.replace(/store:.*/, "store: { kind: s3, bucket: my-bucket }")), "x.yaml");
  assert.deepEqual(config.store, {
    kind: "s3",
    bucket: "my-bucket",
    prefix: "",
    endpoint: null,
    region: "us-east-1",
    forcePathStyle: false,
    uploadedFrom: null,
    include: [],
    exclude: [],
    fullListingEvery: 100,
  });
  const wrong = GOOD.replace(
    /store:.*/,
    "store: { kind: s3, bucket: my-bucket, prefix: library, uploadedFrom: 'x y', fullListingEvery: 0 }",
  );
  assert.throws(
    () => parseConfig(new TextEncoder().encode(wrong), "x.yaml"),
    (error: unknown) =>
      error instanceof ShelfError &&
      /store\.prefix does not end in "\/"; write "library\/"/.test(error.message) &&
      /store\.uploadedFrom is not a name of metadata/.test(error.message) &&
      /store\.fullListingEvery is under 1/.test(error.message),
  );
});

test("the line of a wrong value is found wherever comments, blank lines and quotes put it", () => {
  const filler = fc.array(fc.constantFrom("", "# note", "   # indented: [", "#\t"), { maxLength: 5 });
  const entries = [
    "title: x",
    'store: { kind: directory, root: "./library" }',
    "answers:\n  baseUrl: http://m\n  model: m",
    "gateway: {baseUrl: 'http://g'}",
  ];
  fc.assert(
    fc.property(
      fc.array(filler, { minLength: 6, maxLength: 6 }),
      fc.shuffledSubarray(entries, { minLength: 4 }),
      fc.nat(4),
      (gaps, order, place) => {
        const parts = [...order, "collections:\n  - id: a\n    prefix: a/\n    title: T\n    visibility: public"];
        parts.splice(place, 0, "declared:\n  public: 1\n  email_gated: wrong");
        const lines = parts.flatMap((part, index) => [...(gaps[index] ?? []), ...part.split("\n")]);
        assert.deepEqual(problemsOf(lines.join("\n")), [
          `${lines.indexOf("  email_gated: wrong") + 1}: declared.email_gated is text; write a number`,
        ]);
      },
    ),
    { numRuns: 100 },
  );
});

test("any text is either a configuration or a list of problems, never a crash", () => {
  const alphabet = fc.constantFrom(
    ..."abkindstore:[]{}-?!&*|>'\"#%@`,\n \t0",
    "store: ",
    "collections:",
    "\n  - ",
    "kind: s3",
    "&a ",
    "*a ",
    "<<: ",
  );
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 60 }), (parts) => {
      assert.ok(problemsOf(parts.join("")).length > 0);
    }),
    { numRuns: 500 },
  );
});

test("names and origins for MCP are as a request has them, and what is not is told with what would be", () => {
  const told = (mcp: string): string => problemsOf(`${GOOD}\nmcp: ${mcp}`).join("\n");
  const cases: [string, RegExp][] = [
    ["{ hosts: [https://library.example.org] }", /^5: mcp\.hosts\[0\] is not a host name; write one like library\.example\.org/],
    ["{ hosts: [library.example.org/mcp] }", /is not a host name/],
    ['{ hosts: [""] }', /^5: mcp\.hosts\[0\] is empty; write a host name/],
    ["{ hosts: [a b] }", /is not a host name/],
    ["{ hosts: [me@example.org] }", /is not a host name/],
    ["{ hosts: ['library.example.org:8080'] }", /has a port; write "library\.example\.org"/],
    ["{ hosts: ['library.example.org:80'] }", /has a port; write "library\.example\.org"/],
    ["{ hosts: ['[::1]:80'] }", /has a port; write "\[::1\]"/],
    ["{ hosts: ['*.example.org'] }", /has a star in it; write each name in full/],
    ["{ hosts: [bücher.example] }", /write "xn--bcher-kva\.example"/],
    ["{ hosts: library.example.org }", /^5: mcp\.hosts is text; write a list/],
    ["{ origins: ['*'] }", /^5: mcp\.origins\[0\] is not an origin; write one like https:/],
    ["{ origins: ['null'] }", /is not an origin/],
    ["{ origins: [https://inspector.example.org/] }", /write "https:\/\/inspector\.example\.org"/],
    ["{ origins: [https://inspector.example.org/page?x=1] }", /write "https:\/\/inspector\.example\.org"/],
    ["{ origins: ['https://inspector.example.org:443'] }", /write "https:\/\/inspector\.example\.org"/],
    ["{ origin: [] }", /^5: mcp\.origin is not a known key; did you mean "origins"/],
    ["true", /^5: mcp is true or false; write a mapping/],
  ];
  for (const [mcp, expected] of cases) assert.match(told(mcp), expected, mcp);
  const read = (mcp: string): unknown => parseConfig(new TextEncoder().encode(GOOD + mcp), join(folder, "x.yaml")).mcp;
  assert.deepEqual(read(""), { hosts: [], origins: [] });
  assert.deepEqual(
    read(
      "\nmcp: { hosts: [Library.Example.Org, '*', '[::1]', 10.0.0.7], origins: ['https://inspector.example.org', 'http://localhost:6274'] }",
    ),
    {
      hosts: ["library.example.org", "*", "[::1]", "10.0.0.7"],
      origins: ["https://inspector.example.org", "http://localhost:6274"],
    },
  );
});

test("trusted proxies are a number or addresses and networks, and what is neither is told with what would be", () => {
  const told = (value: string): string => problemsOf(`${GOOD}\ntrustProxy: ${value}`).join("\n");
  const cases: [string, RegExp][] = [
    ["true", /^5: trustProxy is neither a number of proxies nor a list of their addresses; write 1, or \[10\.0\.0\.0\/8\]/],
    ["0", /is neither a number/],
    ["1.5", /is neither a number/],
    ["10.0.0.0/8", /is neither a number/],
    ["[]", /^5: trustProxy is empty; leave it out/],
    [
      "[10.0.0.0/8, proxy.example.org]",
      /^5: trustProxy\[1\] is not an address or a network; write one like 192\.0\.2\.7 or 2001:db8::\/32/,
    ],
    ["[10.1]", /trustProxy/],
    ["['10.1']", /trustProxy\[0\] is not an address/],
    ["['0x7f.0.0.1']", /trustProxy\[0\] is not an address/],
    ["[10.0.0.0/33]", /trustProxy\[0\] is not an address/],
    ["['10.0.0.1:80']", /trustProxy\[0\] is not an address/],
    ["[10.0.0.1, 0.0.0.0/0]", /trustProxy\[1\] takes everybody for a proxy; name the proxies' own networks/],
    ["['::/0']", /trustProxy\[0\] takes everybody/],
  ];
  for (const [value, expected] of cases) assert.match(told(value), expected, value);
  const read = (text: string): unknown => parseConfig(new TextEncoder().encode(GOOD + text), join(folder, "x.yaml")).trustProxy;
  assert.equal(read(""), null);
  assert.equal(read("\ntrustProxy: 2"), 2);
  assert.deepEqual(read("\ntrustProxy: [127.0.0.1, 10.0.0.0/8, '2001:db8::/32', '::1']"), [
    "127.0.0.1",
    "10.0.0.0/8",
    "2001:db8::/32",
    "::1",
  ]);
});

test("the reference table names every key with its default", () => {
  const fields = listConfigFields();
  const keys = fields.map((field) => field.key);
  assert.ok(keys.includes("store (s3).forcePathStyle") && keys.includes("access.serviceTokens[].secretSha256"));
  assert.equal(fields.find((field) => field.key === "baseUrl")?.default, '"http://127.0.0.1:4321"');
  assert.equal(fields.find((field) => field.key === "shelf")?.default, '{"kind":"directory","root":"snapshots/data"}');
});

test("patterns of the store are told with their lines where they are none", () => {
  const store = (lists: string) => GOOD.replace("root: ./library }", `root: ./library, ${lists} }`);
  assert.deepEqual(problemsOf(store('include: ["**/.well-known/**"], exclude: [build, "**/*.tmp"]')), []);
  const found = problemsOf(store('include: ["!notes/**", "/notes/**"], exclude: ["build/", "", 7]')).join("\n");
  assert.match(found, /^2: store\.include\[0\] begins with an exclamation mark; write/m);
  assert.match(found, /^2: store\.include\[1\] is no pattern of keys; keys begin with a name/m);
  assert.match(found, /^2: store\.exclude\[0\] matches no key; write "build"/m);
  assert.match(found, /^2: store\.exclude\[1\] is empty; write a pattern/m);
  assert.match(found, /^2: store\.exclude\[2\] is a number; write text/m);
  assert.match(problemsOf(`${GOOD}\nshelf: { kind: directory, root: ./s, exclude: [x] }`).join("\n"), /shelf\.exclude is not a known key/);
});

test("how long keys are believed is a number of hours, a day when nothing is said", () => {
  const access = (line: string) => `${GOOD}\naccess:\n  issuer: https://i.example\n  audience: a\n  jwks: https://i.example/keys${line}`;
  const parsed = (text: string) => parseConfig(new TextEncoder().encode(text), join(folder, "x.yaml")).access?.jwksMaxAgeHours;
  assert.equal(parsed(access("")), 24);
  assert.equal(parsed(access("\n  jwksMaxAgeHours: 0.5")), 0.5);
  assert.match(problemsOf(access("\n  jwksMaxAgeHours: 0")).join(), /^9: access\.jwksMaxAgeHours is not more than 0/);
  assert.match(problemsOf(access("\n  jwksMaxAgeHours: 9000")).join(), /is more than a year/);
  assert.match(problemsOf(access("\n  jwksMaxAgeHours: long")).join(), /is text; write a number/);
});

test("half of a surrogate pair is told with its line, wherever it stands", () => {
  const found = problemsOf(
    `${GOOD.replace("title: Example", String.raw`title: "Ex \ud83d"`).replace("title: Notes", String.raw`title: "N \udc00"`)}`,
  );
  assert.deepEqual(found, [
    "1: title holds half of a surrogate pair; write whole characters",
    "4: collections[0].title holds half of a surrogate pair; write whole characters",
  ]);
});

test("the access section is read alone out of a file that is wrong elsewhere, and not when it is wrong itself", () => {
  const ACCESS =
    "access:\n  # who may\n  serviceTokens:\n  - { name: ci, id: ci.example, secretSha256: " +
    `${"a".repeat(64)} }\n\n  policy: { emails: [ada@example.org] }\n`;
  const read = (text: string) => {
    const path = join(folder, "access.yaml");
    writeFileSync(path, text);
    return readAccess(path);
  };
  for (const text of [
    `${GOOD}\n${ACCESS}`,
    `${ACCESS}${GOOD.replace("prefix: notes/", "prefix: notes")}`,
    `titel: x\n${ACCESS}store: [`,
    `store: { kind: directory\n${ACCESS}title: [\n`,
    `title: x\ntitle: y\n${ACCESS}`,
  ])
    assert.deepEqual(read(text)?.policy.emails, ["ada@example.org"], text);
  assert.equal(read(`${GOOD}\n`), null, "there is none: the gate closes");
  assert.equal(read(GOOD.replace("prefix: notes/", "prefix: notes")), null);
  for (const text of [
    "",
    "title: [",
    "store: [\n",
    `${ACCESS}${ACCESS}`,
    `${GOOD}\n${ACCESS.replace("emails", "email")}`,
    `${GOOD}\n${ACCESS.replace("ada@example.org", "ada")}`,
    `${GOOD}\n${ACCESS}  issuer: [\n`,
    `${GOOD}\naccess: {}\n`,
  ])
    assert.equal(read(text), undefined, text);
  assert.equal(readAccess(join(folder, "gone.yaml")), undefined);
});
