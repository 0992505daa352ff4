/** The face of the models of meaning. */
export type { Embedder } from "./embedder.ts";
export { GATEWAY_HEADER } from "./gateway.ts";
export { limitBytes } from "./limit-bytes.ts";
export { missingPackages, openEmbedder } from "./open-embedder.ts";
