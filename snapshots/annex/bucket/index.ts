/** The face of the driver of buckets. */
export { type Bucket, type BucketConfig, type HeadObject, type ListedObject, type PutOptions } from "./bucket.ts";
export { openBucket } from "./s3-bucket.ts";
