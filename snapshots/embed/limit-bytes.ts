/** A stranger's stream that may not go on for ever: counted while it comes, so that nothing is believed of what it announces.
 *  @param tooLong makes the error that ends a stream of more than `limit` bytes */
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
