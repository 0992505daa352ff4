/** The bucket annex keeps a shelf, or the objects of a library, in S3-compatible storage: push, pull, lease and inventory.
 *  It gives `BUCKETS` to the core, and `shelf copy` to the command line.
 *  Nobody writes to a bucket without its lease, and the pointer moves last, by compare-and-swap. */
export { type BucketOptions, parsePlace } from "./bucket-address.ts";
export { Lease, takeLease } from "./lease.ts";
export { BUCKET_KEYS, BUCKETS, runShelfCopy } from "./register.ts";
