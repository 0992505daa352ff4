/** The meaning of an S3 request's failure: whether it passes, and how it is said, without anything secret. Servers differ in names and often send
 *  no message, so it goes by status and code. */
import { ShelfError } from "#snapshots/errors";
import { TooSlow } from "./retry.ts";

/** A BadAnswer is an answer that is not what was asked for: cut short, of another length, or no sense at all. */
export class BadAnswer extends Error {}

/** statusOf returns the HTTP status; null when there was no answer, or none that could be read. */
export function statusOf(error: unknown): number | null {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode ?? null;
}

function nameOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: string };
  return code ?? name ?? "Error";
}

const NO_CREDENTIALS = /^CredentialsProviderError$|^TokenProviderError$/;
const CERTIFICATE = /CERT|ERR_TLS|ERR_SSL|^UNABLE_TO_/;

export function isPassing(error: unknown): boolean {
  if (error instanceof ShelfError) return false;
  if (error instanceof BadAnswer || error instanceof TooSlow) return true;
  const name = nameOf(error);
  if (NO_CREDENTIALS.test(name)) return false;
  // The SDK takes the server's clock from this answer.
  if (name === "RequestTimeTooSkewed" || name === "RequestTimeout") return true;
  const status = statusOf(error);
  // No status: the connection failed; 200: its body was no answer. A wrong certificate stays wrong.
  if (status === null || status === 200) return !CERTIFICATE.test(name);
  return status === 408 || status === 409 || status === 429 || (status >= 500 && status !== 501);
}

/** isOpen tells whether it may have been done all the same, or somebody else was first: then what is there now decides. */
export function isOpen(error: unknown): boolean {
  const status = statusOf(error);
  return status === 412 || status === 404 || isPassing(error);
}

/** toShelfError returns a failure of the bucket as an error to show.
 *  @param what was tried, as "reading s3://bucket/key" */
export function toShelfError(error: unknown, what: string): ShelfError {
  if (error instanceof ShelfError) return error;
  const name = nameOf(error);
  if (name === "InvalidObjectState")
    return new ShelfError("bad_source", "The object is archived by the store; restore it, or name it in store.exclude.", { cause: error });
  const status = statusOf(error);
  const said =
    status === null ? explainNetwork(error, name) : `the store answered ${status}${/^[A-Z][A-Za-z]+$/.test(name) ? ` ${name}` : ""}`;
  const denied = NO_CREDENTIALS.test(name) || status === 401 || status === 403;
  return new ShelfError(denied ? "bucket_denied" : "bucket_unavailable", `${what} failed: ${said}.`, {
    cause: error,
    fixes: fixesFor(name, status),
  });
}

function explainNetwork(error: unknown, name: string): string {
  if (error instanceof BadAnswer || error instanceof TooSlow) return error.message;
  if (NO_CREDENTIALS.test(name)) return "no credentials were found";
  if (name === "ENOTFOUND" || name === "EAI_AGAIN") return "the store's name is not known to DNS";
  if (name === "ECONNREFUSED") return "nothing listens at the store's address";
  if (CERTIFICATE.test(name)) return `the store's certificate is not trusted (${name})`;
  return `there was no answer (${name})`;
}

function fixesFor(name: string, status: number | null): readonly string[] {
  if (NO_CREDENTIALS.test(name))
    return ["Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, in the environment of this process"];
  if (name === "InvalidAccessKeyId" || name === "SignatureDoesNotMatch")
    return ["The store does not know these credentials: look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and endpoint"];
  if (name === "ExpiredToken" || name === "InvalidToken") return ["The credentials have run out: get new ones"];
  if (name === "RequestTimeTooSkewed") return ["The clock of this machine is wrong: set it"];
  if (name === "NoSuchBucket") return ["There is no such bucket: make it, or look at bucket, endpoint and region"];
  if (name === "PermanentRedirect" || name === "AuthorizationHeaderMalformed" || (status !== null && status >= 300 && status < 400))
    return ["The bucket is in another region: look at region and endpoint"];
  if (status === 501) return ["The store cannot do this: use one that has conditional writes (If-None-Match and If-Match)"];
  if (status === 401 || status === 403)
    return ["These credentials may not do this: look at the rights of the user and at the policy of the bucket"];
  if (CERTIFICATE.test(name)) return ["Name the file with its authority in NODE_EXTRA_CA_CERTS"];
  if (name === "ENOTFOUND" || name === "ECONNREFUSED") return ["Look at endpoint, and whether the store runs"];
  return ["Try again later; look whether the store runs"];
}
