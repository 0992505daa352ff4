/** The bucket driver speaks S3: objects, conditional writes, listings, and the code store in a bucket.
 *  It gives `Bucket` to the shelf's and the store's annexes.
 *  An open outcome of a write is read back before anything is said of it. */
export type { Bucket, HeadObject, ListedObject, PutOptions } from "./bucket.ts";
export { openS3CodeStore } from "./code-store-s3.ts";
export { openBucket } from "./s3-bucket.ts";
