/** The keys that annexes add to the configuration. A program adds those of its annexes before it reads a file (`generator/annexes.ts`); an annex
 *  declares the types of its keys where the keys are (`declare module`). */
import type { z } from "zod";
import type { AccessConfig } from "#snapshots/schema";
import type { ConfigProblem } from "./yaml.ts";

/** AnnexConfig is the values of the keys that annexes put at the top of the file. */
// biome-ignore lint/suspicious/noEmptyInterface: annexes add to it
export interface AnnexConfig {}

/** AnnexGates is the values of those that they put among the gates. */
// biome-ignore lint/suspicious/noEmptyInterface: annexes add to it
export interface AnnexGates {}

/** PlaceKinds is kind → values of a store, a shelf and a code store that are no folders of this machine. */
// biome-ignore lint/suspicious/noEmptyInterface: annexes add to it
export interface PlaceKinds {}

/** SignInKeys is the values of the keys that they put into `access`. */
// biome-ignore lint/suspicious/noEmptyInterface: annexes add to it
export interface SignInKeys {}

export type OwnPaths = { readonly files: readonly string[]; readonly folders: readonly string[] };

export type AnnexKeys = {
  /** Keys at the top of the file. */
  readonly top?: Readonly<Record<string, z.ZodType>>;
  /** Keys of `gates`. */
  readonly gates?: Readonly<Record<string, z.ZodType>>;
  /** A kind of place that is no folder: its keys as a store, as a shelf and as a code store. */
  readonly place?: {
    readonly kind: keyof PlaceKinds;
    readonly store: z.ZodObject;
    readonly shelf: z.ZodObject;
    readonly code: z.ZodObject;
    /** Makes the paths of a shelf of this kind absolute. */
    resolveShelf(shelf: PlaceKinds[keyof PlaceKinds]["shelf"], folder: string): PlaceKinds[keyof PlaceKinds]["shelf"];
  };
  /** A kind of sign-in besides a gateway in front: its keys of `access`, which are heard with this kind alone. */
  readonly signIn?: {
    readonly kind: string;
    readonly keys: Readonly<Record<string, z.ZodType>>;
    /** Finds what is wrong with an `access` of this kind. */
    check(access: unknown): readonly ConfigProblem[];
    /** Makes what the sidecar is told of it. */
    resolve(access: SignInKeys & Pick<AccessConfig, "issuer" | "policy">): Pick<AccessConfig, "issuer" | "policy" | "oidc">;
  };
  /** A key of `registry` that names what the registry is made of, and the files and folders that belong to such a registry. */
  readonly registry?: { readonly sources: z.ZodType<string | undefined>; ownFiles(file: string): OwnPaths };
  /** Variables of the environment that hold its secrets. */
  readonly secrets?: readonly string[];
  /** Finds problems that no key alone shows. @param folder that relative paths of the file start from */
  check?(raw: unknown, folder: string): readonly ConfigProblem[];
};

let added: readonly AnnexKeys[] = [];

/** addKeys adds keys to the configuration, for as long as the process lives. */
export function addKeys(...keys: readonly AnnexKeys[]): void {
  added = [...added, ...keys];
}

/** addedKeys returns what was added; the same list while nothing is. */
export const addedKeys = (): readonly AnnexKeys[] => added;
