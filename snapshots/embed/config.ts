/** Which model of meaning is configured, as the generator reads it and a server is told. */

/** `embeddings` of proofshelf.yaml. */
export type EmbeddingsConfig =
  | { readonly kind: "none" }
  | { readonly kind: "embedded" }
  | { readonly kind: "openai"; readonly baseUrl: string; readonly model: string; readonly dimensions: number };
