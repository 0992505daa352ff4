/** The metrics annex counts requests for Prometheus.
 *  It gives counters to servers, and an address of their own to those who scrape.
 *  No key, question or identity is a label. */
export { describeOperations, openOperations } from "./operations.ts";
