/** `embeddings` of proofshelf.yaml: which model of meaning is configured. */
export type EmbeddingsConfig =
  | { readonly kind: "none" }
  | { readonly kind: "embedded" }
  /** A folder with a model, see embedder-local.ts; absolute. */
  | { readonly kind: "local"; readonly path: string; readonly dimensions: number }
  | { readonly kind: "openai"; readonly baseUrl: string; readonly model: string; readonly dimensions: number };
