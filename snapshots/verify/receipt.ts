/** The receipt of an answer: enough to check it again later, offline, from the snapshot alone.
 *
 *      {"format":"proofshelf-receipt/1","question":…,"prefix":…,"snapshot":…,"mode":…,"answer":…,"citations":[…],
 *       "model":…,"digest":"<SHA-256 of the RFC 8785 text of all members but this one>"}
 *
 *  The digest ties the parts together; it is no signature. What the receipt proves is that every quote stands in the
 *  object that it names, and that this object belongs to that snapshot. */
import { z } from "zod";
import { findCitationProblem, findQuoteProblem } from "#snapshots/format";
import { canonicalJson, sha256 } from "#snapshots/digest";
import { pageBytes } from "#snapshots/page";
import type { Snapshot } from "#snapshots/shelf";
import { type Citation, Receipt, RECEIPT_FORMAT } from "#snapshots/schema";

export function makeReceipt(parts: Omit<Receipt, "format" | "digest">): Receipt {
  const body = { format: RECEIPT_FORMAT, ...parts } as const;
  return { ...body, digest: sha256(canonicalJson(body)) };
}

/** parseReceipt reads a receipt, or a whole answer that holds one, as somebody saved it. In a whole answer its own members count: what a reader
 *  sees is what is checked, so that an answer which was changed around its receipt is found.
 *  @returns null when the text is neither */
export function parseReceipt(text: string): Receipt | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const whole = wholeAnswer.safeParse(value);
  const parsed = Receipt.safeParse(whole.success ? { ...whole.data.receipt, ...shown(whole.data) } : value);
  return parsed.success ? parsed.data : null;
}

const wholeAnswer = z.looseObject({ receipt: z.looseObject({}), query: z.unknown() });

function shown({ query, prefix, snapshot, mode, answer, citations }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { question: query, prefix, snapshot, mode, answer, citations };
}

/** checkReceipt says everything that does not hold, in words; [] when the receipt is good.
 *  @param snapshot the one that the receipt names, opened by its id */
export async function checkReceipt(receipt: Receipt, snapshot: Snapshot): Promise<readonly string[]> {
  const findings: string[] = [];
  const { digest, ...body } = receipt;
  if (sha256(canonicalJson(body)) !== digest) findings.push("the receipt was changed: its digest does not match");
  if (snapshot.id !== receipt.snapshot) findings.push(`this is snapshot ${snapshot.id}, not ${receipt.snapshot}`);
  for (const citation of receipt.citations) {
    const problem = await checkCitation(citation, snapshot);
    if (problem !== null) findings.push(`[${citation.n}] ${problem}`);
  }
  const known = new Set(receipt.citations.map(({ n }) => n));
  for (const [, n] of receipt.answer.matchAll(/\[(\d{1,3})\]/g)) {
    if (receipt.mode === "ai" && !known.has(Number(n))) findings.push(`the answer refers to [${n}], which is not cited`);
  }
  return findings;
}

async function checkCitation(citation: Citation, snapshot: Snapshot): Promise<string | null> {
  const entry = await snapshot.find(`objects/${citation.key}`);
  if (entry?.kind !== "blob") return `${citation.key} is not in this snapshot`;
  if (entry.sha256 !== citation.sha256) return `${citation.key} has another digest in this snapshot`;
  try {
    const bytes = await snapshot.read(entry);
    if (citation.page === undefined) return findCitationProblem(citation, bytes);
    // The lines of a PDF are those of its extract, which stands in the same snapshot.
    const extract = await snapshot.extract(citation.key);
    return extract === null ? `${citation.key} has no extract` : findQuoteProblem(citation, pageBytes(extract.passages, citation.page));
  } catch {
    return `${citation.key} is damaged in this snapshot`;
  }
}
