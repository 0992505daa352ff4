/** One message to one address, by Standard Webhooks. The address is the operator's; what its name resolves to is anybody's. */
import { createHmac } from "node:crypto";
import { lookup as lookUp, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import ipaddr from "ipaddr.js";
import { Agent, request } from "undici";

const TRY_MS = 10_000; // of one try, answer included
/** Before the second try and the third; milliseconds. */
const PAUSES: readonly number[] = [1_000, 5_000];
const MAX_ANSWER = 64 * 1024; // bytes that are read of an answer, to free its connection
/** The receiver is gone for good. */
const GONE = 410;

export type Message = { readonly id: string; readonly body: string };
export type Attempt = {
  readonly ok: boolean;
  readonly tries: number /** Status, or what went wrong. */;
  readonly outcome: string;
  readonly gone: boolean;
};

/** parseSecret reads the secret of a webhook. @param text `whsec_` and 24 to 64 bytes in base64; null of whatever else */
export function parseSecret(text: string | undefined): Buffer | null {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text ?? "") ?? [];
  const bytes = Buffer.from(encoded ?? "", "base64");
  return bytes.length >= 24 && bytes.length <= 64 ? bytes : null;
}

/** signatureOf signs a message. @param seconds since 1970 */
export function signatureOf({ id, body }: Message, seconds: number, secret: Buffer): string {
  return `v1,${createHmac("sha256", secret).update(`${id}.${seconds}.${body}`).digest("base64")}`;
}

/** deliver sends a message until it is taken, three times at most. @param allowPrivate whether the address may be one of a network that is not the
 *  internet */
export async function deliver(
  url: string,
  message: Message,
  secret: Buffer,
  { allowPrivate, pauses = PAUSES }: { readonly allowPrivate: boolean; readonly pauses?: readonly number[] },
): Promise<Attempt> {
  const agent = new Agent({ connect: { lookup: allowPrivate ? (lookUp as LookupFunction) : lookUpPublic } });
  try {
    for (let tries = 1; ; tries++) {
      const { outcome, status } = await tryOnce(agent, url, message, secret, allowPrivate);
      const ok = status !== null && status >= 200 && status < 300;
      const pause = pauses[tries - 1];
      if (ok || status === GONE || pause === undefined) return { ok, tries, outcome, gone: status === GONE };
      await wait(pause);
    }
  } finally {
    await agent.destroy();
  }
}

async function tryOnce(
  agent: Agent,
  url: string,
  message: Message,
  secret: Buffer,
  allowPrivate: boolean,
): Promise<{ readonly outcome: string; readonly status: number | null }> {
  const seconds = Math.floor(Date.now() / 1000);
  try {
    // A number is an address by itself: no name is looked up.
    const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
    if (!allowPrivate && ipaddr.isValid(host)) refusePrivate(host);
    // A redirect is not followed: it could lead anywhere.
    const { statusCode, body } = await request(url, {
      method: "POST",
      dispatcher: agent,
      signal: AbortSignal.timeout(TRY_MS),
      headers: {
        "content-type": "application/json",
        "webhook-id": message.id,
        "webhook-timestamp": String(seconds),
        "webhook-signature": signatureOf(message, seconds, secret),
      },
      body: message.body,
    });
    await body.dump({ limit: MAX_ANSWER }).catch(() => undefined);
    return { outcome: String(statusCode), status: statusCode };
  } catch (error) {
    const { code, message: text } = error as NodeJS.ErrnoException;
    return { outcome: code ?? text, status: null };
  }
}

/** Looks a name up, and refuses it when one of its addresses is not of the internet: which one is taken is not ours to say. */
const lookUpPublic: LookupFunction = (name, options, callback) => {
  lookUp(name, { ...options, all: true }, (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => {
    if (error !== null) return callback(error, "");
    try {
      for (const { address } of addresses) refusePrivate(address);
    } catch (refused) {
      return callback(refused as NodeJS.ErrnoException, "");
    }
    if (options.all === true) return callback(null, addresses);
    const [first] = addresses;
    return first === undefined ? callback(new Error("no address"), "") : callback(null, first.address, first.family);
  });
};

function refusePrivate(address: string): void {
  const range = ipaddr.process(address).range();
  if (range === "unicast") return;
  throw Object.assign(new Error(`${address} is of a private network`), { code: "PRIVATE_ADDRESS" });
}
