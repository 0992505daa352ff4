/** A ScannedFile is one file of the public side, or one part of a long one; `offset` is where the part begins. `source` is true where the bytes
 *  are the author's own, a public object, not something made here. */
export type ScannedFile = {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly source: boolean;
  /** Media type: it says how texts are told apart. */
  readonly type: string;
  readonly offset?: number;
  /** Nobody reads it as text: names and digests are looked for in its bytes, and no runs of words. */
  readonly binary?: boolean;
  /** These are the software's own words, the same for every library: what they say is nobody's secret. */
  readonly software?: boolean;
};
