/** A server that answers like a store and is none: for what no real one does, and for lists that are longer than a test may fill. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BucketConfig } from "./bucket.ts";

type Asked = {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: NodeJS.Dict<string | string[]>;
};
type Answered = { readonly status: number; readonly body?: string | Buffer; readonly headers?: Readonly<Record<string, string>> };

export type S3Double = { readonly config: BucketConfig; readonly requests: Asked[]; close(): Promise<void> };

/** openS3Double opens a double of a store.
 *  @param answer what the store says; `body` is what was sent */
export async function openS3Double(answer: (asked: Asked, body: Buffer) => Answered): Promise<S3Double> {
  const requests: Asked[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const [path = "", query = ""] = (incoming.url ?? "").split("?");
      const key = decodeURIComponent(path.split("/").slice(2).join("/"));
      const asked = { method: incoming.method ?? "", key, query: new URLSearchParams(query), headers: incoming.headers };
      requests.push(asked);
      const { status, body = "", headers = {} } = answer(asked, Buffer.concat(chunks));
      outgoing.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers });
      outgoing.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    config: { bucket: "double", prefix: "", endpoint, region: "us-east-1", forcePathStyle: true },
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type DoubledObject = { readonly key: string; readonly etag?: string; readonly size?: number; readonly modified?: string };

/** listPage returns a page of ListObjectsV2. @param next the continuation; null on the last page */
export function listPage(objects: readonly DoubledObject[], next: string | null): string {
  const rows = objects.map(
    ({ key, etag = "0", size = 1, modified = "2026-01-02T03:04:05.000Z" }) =>
      `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>${modified}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${size}</Size></Contents>`,
  );
  const more = next === null ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`;
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>double</Name><KeyCount>${objects.length}</KeyCount><MaxKeys>1000</MaxKeys><EncodingType>url</EncodingType><IsTruncated>${next !== null}</IsTruncated>${more}${rows.join("")}</ListBucketResult>`;
}
