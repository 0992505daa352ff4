/** Buckets in memory behind S3's HTTP, for the driver and for processes that share a bucket. It enforces what a real store does: who
 *  asks, by signature; what they may; conditions, ranges and pages. What it is asked beyond that it refuses. */
import { createHmac, hash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { PutOptions } from "./bucket.ts";
import type { BucketUser, CephServer } from "./ceph-fixture.ts";
import { MemoryBucket, type MemoryStore } from "./memory-bucket-fixture.ts";
import { listPage } from "./s3-double-fixture.ts";

type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer };
type Asked = {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
};

export type MemoryServer = CephServer & { close(): Promise<void> };

export async function openMemoryServer(): Promise<MemoryServer> {
  const face = new Face();
  const server = createServer(async (incoming, outgoing) => {
    const { status, headers = {}, body = "" } = await face.answer(incoming);
    const length = headers["content-length"] ?? String(Buffer.byteLength(body));
    outgoing.writeHead(status, { "content-type": "application/xml", ...headers, "content-length": length });
    outgoing.end(incoming.method === "HEAD" ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    owner: face.owner,
    other: face.other,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class Face {
  readonly owner: BucketUser = { accessKeyId: "owner-access-key", secretAccessKey: "owner-secret-key" };
  readonly other: BucketUser = { accessKeyId: "other-access-key", secretAccessKey: "other-secret-key" };
  readonly #buckets = new Map<string, MemoryStore>();
  /** Bucket → prefix of what everybody may read. */
  readonly #open = new Map<string, string>();

  async answer(incoming: IncomingMessage): Promise<Answer> {
    // One that is cut off by a proxy is answered to nobody.
    const body = await buffer(incoming).catch(() => null);
    if (body === null) return { status: 400 };
    const { method = "", url = "", headers } = incoming;
    const [path = "", search = ""] = url.split("?");
    const [, name = "", ...rest] = path.split("/");
    const [key, query] = [decodeURIComponent(rest.join("/")), new URLSearchParams(search)];
    const user = this.#userOf(incoming, body);
    if (typeof user === "string") return refusal(403, user);
    if (key === "" && method === "PUT" && user === this.owner) return this.#setBucket(name, query.has("policy") ? body.toString() : null);
    const store = this.#buckets.get(name);
    if (store === undefined) return name === "" ? { status: 200 } : refusal(404, "NoSuchBucket");
    const open = this.#open.get(name);
    const mayRead = open !== undefined && key.startsWith(open) && (method === "GET" || method === "HEAD") && store.has(key);
    if (user !== this.owner && !mayRead) return refusal(403, "AccessDenied");
    const asked = { method, query, headers, body };
    return key === "" ? this.#list(store, asked) : this.#object(store, key, asked);
  }

  /** Finds who has signed this, or what is wrong with the signature. */
  #userOf({ method, url = "", headers }: IncomingMessage, body: Buffer): BucketUser | string {
    const said = /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(
      headers.authorization ?? "",
    );
    if (said === null) return "AccessDenied";
    const [, id = "", day = "", region = "", names = "", signature] = said;
    const user = [this.owner, this.other].find(({ accessKeyId }) => accessKeyId === id);
    if (user === undefined) return "InvalidAccessKeyId";
    const [path = "", search = ""] = url.split("?");
    const query = search
      .split("&")
      .filter(Boolean)
      .map((pair) => (pair.includes("=") ? pair : `${pair}=`));
    const signed = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}`);
    const digest = String(headers["x-amz-content-sha256"]);
    if (digest !== hash("sha256", body) && digest !== "UNSIGNED-PAYLOAD") return "XAmzContentSHA256Mismatch";
    const request = [method, path, query.sort().join("&"), ...signed, "", names, digest].join("\n");
    const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], `${day}/${region}/s3/aws4_request`, hash("sha256", request)].join("\n");
    const signing = [day, region, "s3", "aws4_request", text].reduce<string | Buffer>(
      (last, part) => createHmac("sha256", last).update(part).digest(),
      `AWS4${user.secretAccessKey}`,
    );
    return Buffer.from(signing).toString("hex") === signature ? user : "SignatureDoesNotMatch";
  }

  /** Makes a bucket, or says of one what everybody may read: one prefix. */
  #setBucket(name: string, policy: string | null): Answer {
    if (policy === null) this.#buckets.set(name, new Map());
    else this.#open.set(name, /arn:aws:s3:::[^/]+\/([^"*]*)\*/.exec(policy)?.[1] ?? "");
    return { status: 200 };
  }

  async #list(store: MemoryStore, { method, query }: Asked): Promise<Answer> {
    if (method !== "GET" || query.get("list-type") !== "2") return refusal(501, "NotImplemented");
    const all = await Array.fromAsync(new MemoryBucket("", store).list(query.get("prefix") ?? ""));
    const from = Number(query.get("continuation-token") ?? 0);
    const to = from + Math.min(1000, Number(query.get("max-keys") ?? 1000));
    const rows = all.slice(from, to).map(({ modified, ...row }) => ({ ...row, modified: modified ?? "" }));
    return { status: 200, body: listPage(rows, to < all.length ? String(to) : null) };
  }

  async #object(store: MemoryStore, key: string, { method, headers, body }: Asked): Promise<Answer> {
    const bucket = new MemoryBucket("", store);
    const there = store.get(key);
    const isMatch = (asked: string | string[] | undefined): boolean => asked === "*" || String(asked).replaceAll('"', "") === there?.etag;
    const [ifMatch, ifNoneMatch] = [headers["if-match"], headers["if-none-match"]];
    if (method === "DELETE") return bucket.delete(key).then(() => ({ status: 204 }));
    if (ifMatch !== undefined && !isMatch(ifMatch))
      return refusal(there === undefined ? 404 : 412, there === undefined ? "NoSuchKey" : "PreconditionFailed");
    if (method === "PUT") {
      if (ifNoneMatch !== undefined && there !== undefined) return refusal(412, "PreconditionFailed");
      return { status: 200, headers: { etag: `"${await bucket.put(key, body, optionsOf(headers))}"` } };
    }
    if (there === undefined) return refusal(404, "NoSuchKey");
    const { bytes, etag, modified, options } = there;
    const said = { etag: `"${etag}"`, "last-modified": modified.toUTCString(), ...headersOf(options) };
    if (ifNoneMatch !== undefined && isMatch(ifNoneMatch)) return { status: 304, headers: said };
    const range = /^bytes=(\d+)-(\d+)$/.exec(String(headers["range"]));
    if (range === null) return { status: 200, headers: { ...said, "content-length": String(bytes.length) }, body: bytes };
    const [start, end] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    if (start > end) return refusal(416, "InvalidRange");
    return {
      status: 206,
      headers: { ...said, "content-range": `bytes ${start}-${end}/${bytes.length}` },
      body: bytes.subarray(start, end + 1),
    };
  }
}

function refusal(status: number, code: string): Answer {
  return { status, body: `<?xml version="1.0"?><Error><Code>${code}</Code></Error>` };
}

const META = "x-amz-meta-";
const NAMED = {
  contentType: "content-type",
  cacheControl: "cache-control",
  contentDisposition: "content-disposition",
  contentEncoding: "content-encoding",
};

function optionsOf(headers: Asked["headers"]): PutOptions {
  const named = Object.entries(NAMED).flatMap(([name, header]) => (headers[header] === undefined ? [] : [[name, headers[header]]]));
  const metadata = Object.entries(headers).flatMap(([name, value]) => (name.startsWith(META) ? [[name.slice(META.length), value]] : []));
  return { ...Object.fromEntries(named), metadata: Object.fromEntries(metadata) } as PutOptions;
}

function headersOf(options: PutOptions): Record<string, string> {
  const named = Object.entries(NAMED).flatMap(([name, header]) => {
    const value = options[name as keyof typeof NAMED];
    return value === undefined ? [] : [[header, value]];
  });
  const metadata = Object.entries(options.metadata ?? {}).map(([name, value]) => [META + name, value]);
  return Object.fromEntries([...named, ...metadata]) as Record<string, string>;
}
