/** Scripts that annexes give to pages of the core. */
export { default as VERIFY_SCRIPT } from "./annex/trust/verify.ts?worker&url";
