/** Errors as RFC 9457 bodies (conventions "Errors and headers"). */
import { randomUUID } from "node:crypto";
import { ShelfError } from "#snapshots/errors";
import { pagePath } from "./layout.ts";
import type { Problem } from "#snapshots/schema";

export const PROBLEM_TYPE = "application/problem+json";

/** toShelfError returns anything that was thrown as a ShelfError. An error that was not foreseen is "internal", and its message stays here. */
export function toShelfError(error: unknown): ShelfError {
  if (error instanceof ShelfError) return error;
  return new ShelfError("internal", "The server failed. Tell the operator the request id.", { cause: error });
}

/** problemBody returns the body of an error's answer.
 *  @param baseUrl "" makes `type` a path; @param snapshot that the answer would have come from, or null */
export function problemBody(error: ShelfError, baseUrl: string, snapshot: string | null): Problem {
  return {
    type: baseUrl + pagePath.problem(error.code),
    title: error.title,
    status: error.status,
    detail: error.message,
    code: error.code,
    ...(error.errors.length === 0 ? {} : { errors: error.errors.map((item) => ({ ...item })) }),
    ...(error.fixes.length === 0 ? {} : { fixes: [...error.fixes] }),
    ...error.members,
    request_id: randomUUID(),
    ...(snapshot === null ? {} : { snapshot }),
  };
}
