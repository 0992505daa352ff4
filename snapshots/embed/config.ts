/** EmbeddingsConfig is `embeddings` of proofshelf.yaml: which model of meaning is configured. */
export type EmbeddingsConfig =
  | { readonly kind: "none" }
  | { readonly kind: "embedded" }
  | { readonly kind: "openai"; readonly baseUrl: string; readonly model: string; readonly dimensions: number };
