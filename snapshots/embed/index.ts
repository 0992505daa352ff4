/** The embed room says what of a text is embedded, and what an embedder is.
 *  It gives texts and digests to the index, and the shape of the configuration.
 *  It opens no connection and loads no model. */
export type { EmbeddingsConfig } from "./config.ts";
export { embedDigest, embedText } from "./embed-text.ts";
export { type Embedder, normalize } from "./embedder.ts";
export { GATEWAY_HEADER } from "./gateway.ts";
