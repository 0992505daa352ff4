/** limitBytes passes a stranger's stream on and counts it while it comes. @param tooLong makes the error that ends one of more than `limit` bytes */
export async function* limitBytes(
  stream: AsyncIterable<Uint8Array> | null,
  limit: number,
  tooLong: () => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of stream ?? []) {
    size += chunk.length;
    if (size > limit) throw tooLong();
    yield chunk;
  }
}
