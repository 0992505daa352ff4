/** The embedders room turns texts into vectors: the embedded model, in a process of its own, or a server over HTTP.
 *  It takes the configuration of embeddings and gives an `Embedder`, or says what is missing.
 *  The site server never loads it. */
export { howToInstallModel, openEmbedder } from "./open-embedder.ts";
