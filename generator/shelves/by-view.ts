/** ByView is one of something for each view. */
export type ByView<T> = Readonly<Record<"public" | "internal", T>>;
