/** Scripts that annexes give to pages of the core. */
export { VERIFY_SCRIPT } from "./annex/trust/index.ts";
