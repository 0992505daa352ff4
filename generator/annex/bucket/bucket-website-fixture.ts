/** A bucket as a website of it gives it to readers: its own bytes and headers, and `index.html` in a folder. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { BucketConfig } from "../../../snapshots/annex/bucket/bucket.ts";

export type Website = {
  /** Without a slash at the end. */
  readonly url: string;
  close(): void;
};

export async function openWebsite({ bucket, endpoint }: BucketConfig): Promise<Website> {
  const { GetObjectCommand, S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client({ endpoint: endpoint ?? "", region: "us-east-1", forcePathStyle: true });
  const give = async (url: string, response: ServerResponse): Promise<void> => {
    const key = decodeURIComponent(url.replace(/\?.*/, "").slice(1));
    const command = new GetObjectCommand({ Bucket: bucket, Key: /(^|\/)$/.test(key) ? `${key}index.html` : key });
    const { Body, ContentType = "", ContentEncoding } = await client.send(command);
    const encoding = ContentEncoding === undefined ? {} : { "content-encoding": ContentEncoding };
    response.writeHead(200, { "content-type": ContentType, ...encoding }).end(await Body?.transformToByteArray());
  };
  const website = createServer(({ url = "/" }, response) => {
    give(url, response).catch(() => response.writeHead(404).end());
  });
  await new Promise<void>((resolve) => website.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(website.address() as AddressInfo).port}`,
    close() {
      client.destroy();
      website.closeAllConnections();
      website.close();
    },
  };
}
