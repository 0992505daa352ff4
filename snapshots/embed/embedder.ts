/** Turning texts into vectors: one interface, two models behind it. */

/** An Embedder is a model of meaning. Vectors of different models cannot be compared: `id` keeps them apart everywhere. */
export type Embedder = {
  /** Names the model and everything else that changes its vectors. */
  readonly id: string;
  readonly dimensions: number;
  /** Set of a model that measurably knows less than the words of a query do: it counts where they are unknown, or find too little. */
  readonly weak?: true;
  /** One vector of length 1 per text, in order. Texts may be of any length; a model may read only the beginning.
   *  @throws ShelfError "not_configured" when the model cannot be reached or answers nonsense */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
};

/** normalize gives the vector with length 1; null when it is all zero or not finite, so that it points nowhere. */
export function normalize(vector: ArrayLike<number>): Float32Array | null {
  const out = Float32Array.from(vector);
  const length = Math.hypot(...out);
  return length > 0 && Number.isFinite(length) ? out.map((value) => value / length) : null;
}
