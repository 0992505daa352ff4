/** How a record is used in production, as pages and their histories say it in place of the registry's constants. */
export const USE_WORDS: Readonly<Record<string, string>> = {
  "NOT-RUNTIME-CONSUMED": "not used at run time",
  "EXECUTABLE-RUNTIME": "code in production",
  "PROOF-ARTIFACT-RUNTIME": "proof in production",
  "EXECUTABLE-AND-PROOF-ARTIFACT": "code and proof in production",
};
