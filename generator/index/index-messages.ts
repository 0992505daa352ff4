/** What the thread that writes the indexes is told, and says. */
import type { ErrorCode } from "../../snapshots/errors.ts";
import type { IndexSource } from "./index-documents.ts";

export type IndexRoots = Readonly<Record<"public" | "internal", string>>;

export type Request =
  | { readonly id: number; readonly kind: "has"; readonly view: "public" | "internal"; readonly tag: string }
  | {
      readonly id: number;
      readonly kind: "update";
      readonly view: "public" | "internal";
      readonly upsert: readonly IndexSource[];
      readonly remove: readonly string[];
      readonly base: string | null;
    }
  /** Follows an update, as soon as its snapshot is known. */
  | { readonly id: number; readonly kind: "tag"; readonly tag: string };

export type Reply =
  | { readonly id: number; readonly value: boolean }
  | { readonly id: number; readonly code: ErrorCode | null; readonly message: string; readonly fixes: readonly string[] };
