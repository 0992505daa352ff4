/** ownHash returns the fragment of this page's address without its sign, as it was written where it is not encoded as addresses are ("#100%"). */
export function ownHash(): string {
  const written = location.hash.slice(1);
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
