/** The schema of proofshelf.yaml. It is closed everywhere: an unknown key is a mistake, and a secret has no place in the file.
 *
 *  Messages complete a sentence that begins with the key: `baseUrl is not an http or https address; …`. */
import { z } from "zod";
import { findKeyProblem } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import { parseKey } from "#snapshots/log";
import { type AnnexConfig, type AnnexGates, type AnnexKeys, addedKeys, type PlaceKinds, type SignInKeys } from "./keys.ts";
import {
  contact,
  domains,
  emails,
  findRegistryProblem,
  gate,
  hasScheme,
  isSafeAddress,
  maybe,
  names,
  refuse,
  some,
  webAddress,
} from "./values.ts";

const SECRET_VARIABLES = ["REINDEX_TOKEN", "AI_GATEWAY_ID", "INFERENCE_API_KEY", "LOG_KEY"];

/** secretVariables returns the variables of the environment that hold secrets. */
export const secretVariables = (): readonly string[] => [...SECRET_VARIABLES, ...addedKeys().flatMap(({ secrets = [] }) => secrets)];

const isSafeKeySource = (value: string): boolean => !hasScheme(value) || isSafeAddress(value);

const directory = z.strictObject({
  kind: z.literal("directory"),
  root: some("the folder, relative to this file").meta({ description: "The folder; relative to this file" }),
});

function findPatternProblem(pattern: string): string | null {
  if (pattern.startsWith("!")) return "begins with an exclamation mark; write the pattern without it in the other of the two lists";
  if (/^\.{0,2}\//.test(pattern)) return 'is no pattern of keys; keys begin with a name, as in "notes/**" or "**/*.tmp"';
  if (pattern.endsWith("/")) return `matches no key; write ${JSON.stringify(pattern.slice(0, -1))} for the folder and all that lies in it`;
  return pattern.length > MAX_PATTERN ? `is longer than ${MAX_PATTERN} characters` : null;
}

const MAX_PATTERN = 1024; // a key has at most as many bytes
const patterns = (what: string) =>
  z
    .array(some("a pattern").superRefine(refuse(findPatternProblem)))
    .default([])
    .meta({ description: what });
const leavingOut = {
  include: patterns(
    "Keys to take in although git ignores them, their names begin with a dot or are those of keys, passwords and backups, or tools make them",
  ),
  exclude: patterns("Keys and folders to leave out, whatever include says; globs"),
  fullListingEvery: z
    .int("is not a whole number; write how many builds by keys there are to one that lists everything")
    .min(1, "is under 1; 1 lists everything each time")
    .default(100)
    .meta({ description: "Of builds that are told which keys have changed, each how many-th lists everything all the same" }),
};
const collectionSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "is not a collection id; 1 to 64 of a-z, 0-9 and hyphen, not starting with a hyphen")
    .meta({ description: "Stable id" }),
  prefix: z.string().superRefine(refuse(findPrefixProblem)).meta({
    description: 'Keys that belong to it: ends in "/"; the longest prefix wins; "" takes every key left over',
  }),
  title: some("the name readers see").meta({ description: "Name for readers" }),
  visibility: z.enum(["public", "email-gated"]).meta({ description: "Who sees it" }),
  summary: z.string().default("").meta({ description: "One or two sentences" }),
});

function findPrefixProblem(prefix: string): string | null {
  if (prefix === "") return null;
  if (prefix.startsWith("/")) return `starts with "/"; write ${JSON.stringify(prefix.replace(/^\/+/, ""))}`;
  if (!prefix.endsWith("/")) return `does not end in "/"; write ${JSON.stringify(`${prefix}/`)}`;
  const problem = findKeyProblem(prefix.slice(0, -1));
  return problem === null ? null : `cannot hold objects: ${problem.replace("the key", "it")}; write a plain path like "notes/"`;
}

const nameOrNames = (what: string) =>
  z
    .union([some("a name").transform((name) => [name]), names(what)], {
      error: "is neither a name nor a list of names",
    })
    .meta({ description: what });
const headerName = (standard: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "is not a header name")
    .default(standard)
    .meta({ description: "Header" });

const ACCESS = {
  issuer: maybe(some("the issuer of the tokens")).meta({
    description: "iss of accepted tokens, needed with jwks; with kind oidc the address of the provider",
  }),
  audience: nameOrNames("aud of accepted tokens; needed with jwks").default([]),
  humanAudience: nameOrNames("aud of tokens for people, for POST /internal/api/ask").default([]),
  jwks: maybe(
    some("a file or an https address").refine(isSafeKeySource, "is not a file or an https address; http is taken from this machine only"),
  ).meta({ description: "Public keys: a file, or an https address" }),
  jwksMaxAgeHours: z
    .number()
    .positive("is not more than 0; write a number of hours")
    .max(8760, "is more than a year; write a number of hours")
    .default(24)
    .meta({ description: "Hours for which keys are believed while jwks cannot be read" }),
  algorithms: z
    .array(z.enum(["RS256", "ES256", "EdDSA"]))
    .min(1, "is empty; leave it out for all three")
    .default(["RS256", "ES256", "EdDSA"])
    .meta({ description: "Accepted signature algorithms" }),
  headers: z
    .strictObject({
      token: headerName("edge-access-token"),
      clientId: headerName("Edge-Access-Client-Id"),
      clientSecret: headerName("Edge-Access-Client-Secret"),
    })
    .prefault({})
    .meta({ description: "Names of the credential headers" }),
  policy: z
    .strictObject({
      emails,
      domains,
      serviceTokens: names("Names of authorized service tokens").default([]),
    })
    .prefault({})
    .meta({ description: "Which valid identities are let in" }),
  signIn: maybe(z.string().superRefine(refuse(findRegistryProblem))).meta({
    description: "Page where a person signs in; told to those who are refused",
  }),
  contact: maybe(contact).meta({ description: "Whom to ask to be let in, by mail or on the web; told to those who are refused" }),
  serviceTokens: z
    .array(
      z.strictObject({
        name: some("a name for the policy").meta({ description: "Name that the policy uses" }),
        id: some("the client id").meta({ description: "Client id that the caller sends" }),
        secretSha256: z
          .string()
          .regex(/^[0-9a-fA-F]{64}$/, "is not a SHA-256 digest; write the 64 hex digits of the secret's SHA-256, never the secret")
          .toLowerCase()
          .meta({ description: "SHA-256 of the secret" }),
      }),
    )
    .default([])
    .meta({ description: "Pairs for machines" }),
};

/** accessOf makes the section of access. @param keys of the annexes that sign people in */
function accessOf(keys: readonly AnnexKeys[]) {
  const own = keys.flatMap(({ signIn }) => signIn ?? []);
  const kinds = ["gateway", ...own.map(({ kind }) => kind)];
  const section = z.strictObject({
    kind: z
      .enum(kinds, `is neither ${kinds.join(" nor ")}`)
      .default("gateway")
      .meta({ description: "Who signs people in: a gateway in front (gateway), or the sidecar with an OpenID provider (oidc)" }),
    ...ACCESS,
    ...membersOf(own.map((signIn) => signIn.keys)),
  });
  return maybe(section).meta({ description: "The gate of /internal and /api/code; closed when left out" });
}

const membersOf = (all: readonly (Readonly<Record<string, z.ZodType>> | undefined)[]): Record<string, z.ZodType> =>
  Object.assign({}, ...all);

/** A name as a Host header has it, without the port: that of the address is another's business, and proxies change it. */
const hostName = some("a host name").toLowerCase().superRefine(refuse(findHostProblem));

function findHostProblem(value: string): string | null {
  if (value === "*") return null;
  if (value.includes("*")) return 'has a star in it; write each name in full, or "*" alone when the proxy in front checks the name';
  const url = /[\s/@?#\\]/.test(value) ? null : URL.parse(`http://${value}`);
  if (url === null) return "is not a host name; write one like library.example.org, without http:// and without a path";
  if (url.host !== url.hostname || /:\d+$/.test(value.replace(/^\[.*\]/, ""))) return `has a port; write ${JSON.stringify(url.hostname)}`;
  return url.hostname === value ? null : `is not written as a Host header has it; write ${JSON.stringify(url.hostname)}`;
}

const origin = some("an origin").superRefine(refuse(findOriginProblem));

function findOriginProblem(value: string): string | null {
  const url = /^https?:\/\//i.test(value) ? URL.parse(value) : null;
  if (url === null) return "is not an origin; write one like https://inspector.example.org";
  return url.origin === value ? null : `is not an origin as browsers write it; write ${JSON.stringify(url.origin)}`;
}

const dimensions = z.int().min(1, "is under 1").max(8192, "is over 8192").meta({ description: "Length of its vectors" });
const model = {
  baseUrl: webAddress("Address of an OpenAI-compatible API"),
  model: some("the model's name").meta({ description: "Name of the model" }),
};

const noteKey = z.string().superRefine(refuse(findNoteKeyProblem));

function findNoteKeyProblem(value: string): string | null {
  try {
    parseKey(value);
    return null;
  } catch (error) {
    if (error instanceof ShelfError) return error.message;
    throw error;
  }
}

const logSchema = z
  .strictObject({
    origin: some("the log's name, as keygen printed it").meta({ description: "Name of the log, which its checkpoints begin with" }),
    publicKey: noteKey.meta({ description: "Public key of the log, as keygen printed it; the private one is LOG_KEY in the environment" }),
    witnesses: z.array(noteKey).default([]).meta({ description: "Public keys of others whose signatures on checkpoints are checked" }),
  })
  .superRefine(({ origin: name, publicKey }, context) => {
    if (findNoteKeyProblem(publicKey) !== null || parseKey(publicKey).name === name) return;
    const message = `is the key of ${JSON.stringify(parseKey(publicKey).name)}, not of log.origin; write the two as keygen printed them`;
    context.addIssue({ code: "custom", path: ["publicKey"], message });
  });

const NO_PROXIES = "is neither a number of proxies nor a list of their addresses; write 1, or [10.0.0.0/8]";

const GATES = {
  regressions: gate.meta({ description: "A record or claim whose status fell, whose evidence stopped holding, or that vanished" }),
  drift: gate.meta({ description: "Evidence that does not hold, whether it did before or not" }),
  recall: gate.meta({ description: "A record that checkers with a known hole alone accepted, where its proof may use that hole" }),
  statements: z.enum(["refuse", "warn", "ignore"], "is not refuse, warn or ignore").default("warn").meta({
    description:
      "A record that states something else than its pinned file declares under its name; ignore where statements are no formulas",
  }),
  counts: gate.meta({ description: "A count that the registry's metadata declares and its records do not have" }),
};

const REGISTRY = {
  path: some("the registry's JSON file").optional().meta({ description: "JSON file with { meta, cubs }" }),
  url: z.string().superRefine(refuse(findRegistryProblem)).optional().meta({ description: "Or the address that serves it" }),
  license: maybe(some("an SPDX expression like Apache-2.0")).meta({
    description: "Licence of records that state none, nor their files",
  }),
  internalFields: z.array(some("the name of a field")).default([]).meta({
    description:
      "Fields of records that are known to be internal, nested ones with dots; others that the interface does not name are reported",
  }),
};

/** Members that no annex adds to. */
const CORE = {
  title: some("the name of the library").default("Library").meta({ description: "Name of the library" }),
  description: z
    .string()
    .max(300, "is longer than 300 characters")
    .default("")
    .meta({ description: "What the library is, in one sentence: the first on its front page" }),
  baseUrl: webAddress("Public address of the service, without a final slash").prefault("http://127.0.0.1:4321"),
  registryUrl: maybe(webAddress("Address of the registry's web UI")),
  collections: z
    .array(collectionSchema, "is missing or not a list; name at least one collection")
    .min(1, "is empty; name at least one collection")
    .meta({ description: "A key under none of them is rejected and reported" }),
  uploaded: z.enum(["auto", "mtime", "git", "none"], "is not auto, mtime, git or none").default("auto").meta({
    description: "Where an object's time comes from: its commit (git), its file (mtime), its commit and else its file (auto), or nowhere",
  }),
  sources: z
    .array(
      z.strictObject({
        prefix: z.string().meta({ description: "Keys that begin with it" }),
        repo: z.string().min(1, "is empty; write the repository's address").meta({ description: "Address of the repository, or its name" }),
        ref: z.string().min(1, "is empty; write a revision, a branch or a tag").meta({ description: "Revision, branch or tag" }),
        path: z.string().default("").meta({ description: "Folder in the repository that the prefix stands for" }),
      }),
    )
    .default([])
    .meta({ description: "Where objects come from, for a store that is no git checkout; links lead there" }),
  credits: z
    .array(
      z.strictObject({
        prefix: z.string().meta({ description: "Keys that begin with it; the longest prefix counts" }),
        authors: z.array(some("a name")).default([]).meta({ description: "Who made them" }),
        license: some("an SPDX expression like CC-BY-4.0").optional().meta({ description: "Terms of use, as an SPDX expression" }),
      }),
    )
    .default([])
    .meta({ description: "Authors and licence of objects that state none themselves" }),
  keep: maybe(
    z.int("is not a whole number; write how many of the newest snapshots are kept").min(1, "is under 1; at least one snapshot is kept"),
  ).meta({ description: "Newest snapshots that are kept when a build has published; all of them when left out" }),
  declared: maybe(z.strictObject({ public: z.int().min(0), email_gated: z.int().min(0) })).meta({
    description: "Numbers of collections to state beside the counted ones",
  }),
  front: maybe(some("the key of a Markdown object")).meta({
    description: "Key of the object whose text opens the front page, e.g. notes/front.md",
  }),
  security: maybe(
    z.strictObject({
      contact: contact.meta({ description: "Whom to tell of a weakness, by mail or on the web" }),
      expires: z.iso
        .datetime({ offset: true, error: "is no time; write one like 2027-06-30T00:00:00Z, within a year from now" })
        .meta({ description: "When what stands here is to be believed no more" }),
    }),
  ).meta({ description: "What /.well-known/security.txt says (RFC 9116); without it there is none" }),
  main: z
    .array(z.string().regex(/^CUB-[0-9]{4,}$/, "is no id of a record, like CUB-0007"))
    .max(5, "are more than the front page names, which is five")
    .default([])
    .meta({ description: "Ids of the records that the front page names first, at most five; without them the most used" }),
  report: maybe(contact).meta({
    description:
      "Where readers report a mistake: a mail address, or a page of the web that takes title and body as GitHub's new issue does",
  }),
  claims: maybe(z.strictObject({ path: some("the claims file").meta({ description: "ClaimsRegistry as YAML or JSON" }) })).meta({
    description: "The claims registry",
  }),
  withdrawals: maybe(
    z.strictObject({ path: some("the file of withdrawals").meta({ description: "YAML: what was withdrawn, when, and why" }) }),
  ).meta({ description: "What is served no more; its addresses say so" }),
  answers: maybe(z.strictObject(model)).meta({ description: "Model that writes answers; none when left out" }),
  embeddings: z
    .discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("embedded") }),
      z.strictObject({ kind: z.literal("none") }),
      z.strictObject({
        kind: z.literal("openai"),
        ...model,
        dimensions,
      }),
    ])
    .default({ kind: "embedded" })
    .meta({ description: "Model of the semantic search; kind none for a library without it" }),
  links: z
    .strictObject({
      dead: z.enum(["note", "ignore"], "is neither note nor ignore").default("note").meta({
        description: "Whether a build says which links and images lead to nothing in the library; with --json it lists all of them",
      }),
    })
    .prefault({})
    .meta({ description: "Links within the library" }),
  pdf: z
    .strictObject({
      pageImages: z
        .int("is not a whole number; write how many pages of each PDF are shown as images, 0 for none")
        .min(0, "is under 0; 0 makes no images")
        .max(2000, "is over 2000, beyond which the text of a PDF is not read either")
        .default(20)
        .meta({ description: "Pages of each PDF, from the first, that stand as images beside their text; 0 makes none" }),
    })
    .prefault({})
    .meta({ description: "How PDFs are shown" }),
  extract: z
    .strictObject({
      budget: z
        .string("is no time; write one like 10m")
        .regex(/^[1-9]\d{0,4}[smh]$/, "is no time; write one like 10m, 90s or 2h")
        .default("10m")
        .meta({ description: "Processor time of a build for files that take longer than a second each to read; the next build goes on" }),
    })
    .prefault({})
    .meta({ description: "How files are read" }),
  log: maybe(logSchema).meta({ description: "Who signs the log of publications; unsigned when left out" }),
  gateway: maybe(z.strictObject({ baseUrl: webAddress("Address of the AI gateway; used only when AI_GATEWAY_ID is set") })).meta({
    description: "Opt-in AI gateway",
  }),
  trustProxy: maybe(z.union([z.int(NO_PROXIES).min(1, NO_PROXIES).max(10, NO_PROXIES), z.array(z.string())], { error: NO_PROXIES })).meta({
    description: "Proxies in front: how many, or their addresses and networks; what they say of a client's address is believed",
  }),
  mcp: z
    .strictObject({
      hosts: z
        .array(hostName)
        .default([])
        .meta({ description: 'Host names besides baseUrl\'s, for a proxy that sends another one; "*" when it checks them' }),
      origins: z.array(origin).default([]).meta({ description: "Origins of pages elsewhere that may call" }),
    })
    .prefault({})
    .meta({ description: "Who may call /mcp and /internal/mcp" }),
};

function makeSchema(keys: readonly AnnexKeys[]) {
  const places = keys.flatMap(({ place }) => place ?? []);
  const store = z.discriminatedUnion("kind", [directory.extend(leavingOut), ...places.map((place) => place.store.extend(leavingOut))]);
  const shelf = z.discriminatedUnion("kind", [directory, ...places.map((place) => place.shelf)]);
  const code = z.discriminatedUnion("kind", [directory, ...places.map((place) => place.code)]);
  const made = keys.flatMap(({ registry }) => registry ?? []).map(({ sources }) => ({ sources }));
  const { title, description, baseUrl, registryUrl, ...rest } = CORE;
  return z.strictObject({
    title,
    description,
    baseUrl,
    registryUrl,
    store: store.meta({ description: "Where the objects are" }),
    shelf: shelf.prefault({ kind: "directory", root: "snapshots/data" }).meta({ description: "Where snapshots are written" }),
    ...rest,
    code: maybe(code).meta({ description: "The exact-revision store: {repo}/{head}/{path}" }),
    gates: z
      .strictObject({ ...GATES, ...membersOf(keys.map(({ gates }) => gates)) })
      .prefault({})
      .meta({ description: "What a build refuses to publish (exit code 5), or says and publishes" }),
    registry: maybe(z.strictObject({ ...REGISTRY, ...membersOf(made) })).meta({ description: "The registry of proof records" }),
    access: accessOf(keys),
    ...membersOf(keys.map(({ top }) => top)),
  });
}

let made: { readonly keys: readonly AnnexKeys[]; readonly schema: ReturnType<typeof makeSchema> } | null = null;

/** configSchema returns the schema of the file with the keys of all annexes that were added. */
export function configSchema(): ReturnType<typeof makeSchema> {
  const keys = addedKeys();
  if (made?.keys !== keys) made = { keys, schema: makeSchema(keys) };
  return made.schema;
}

/** accessSchema takes the access section alone. */
export const accessSchema = (): z.ZodType<Pick<ParsedConfig, "access">> =>
  z.object({ access: accessOf(addedKeys()) }) as unknown as z.ZodType<Pick<ParsedConfig, "access">>;

/** The section of access as it is written, defaults applied. */
type AccessKeys = Values<typeof ACCESS> & SignInKeys & { readonly kind: string };

type Values<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;
type Directory = z.output<typeof directory>;
type Elsewhere = PlaceKinds[keyof PlaceKinds];

/** ParsedConfig is the file with defaults applied. An annex answers for the types of its keys. */
export type ParsedConfig = Values<typeof CORE> &
  AnnexConfig & {
    readonly access: AccessKeys | null;
    readonly registry: (Values<typeof REGISTRY> & { readonly sources?: string | undefined }) | null;
    readonly gates: Values<typeof GATES> & AnnexGates;
    readonly store: (Directory | Elsewhere["store"]) & Values<typeof leavingOut>;
    readonly shelf: Directory | Elsewhere["shelf"];
    readonly code: Directory | Elsewhere["code"] | null;
  };
