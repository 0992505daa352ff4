/** Tells whether a text looks as if it held a private key, a token or a password, by secretlint's recommended rules. The operator is told each
 *  find by rule and line; the text itself goes nowhere. */
import { lintSource } from "@secretlint/core";
import { secretLintProfiler } from "@secretlint/profiler";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import { openLines } from "#snapshots/blocks";

// It would note some sixty times a text when it looked at it, and keep the notes for as long as the process lives.
secretLintProfiler.setEnabled(false);

const PRESET = "@secretlint/secretlint-rule-preset-recommend";
const CONFIG = { rules: [{ id: PRESET, rule: creator, options: {} }] };
/** The rules begin at a hundred characters: keys of elliptic curves are shorter. */
const SHORT_KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+(?:[A-Za-z0-9+/=]{16,}\s+)+-----END /g;

/** A name and a password in an address as manuals show where they stand, or of a host that nobody can have (RFC 2606). */
const SHOWN =
  /:\/\/(?:[^\s@/]*@(?:[\w-]+\.)*(?:example|invalid|test)(?:\.(?:com|net|org))?(?![\w.-])|[^\s@/:]*:[<$%{[]*(?:(?:my|your|the)[-_ ]?)?(?:pass(?:word|wd|phrase)?|pw|pwd|secret)(?:[-_][a-z-]+)?[>}\]%]*@)/i;

/** findSecrets finds what looks like a secret. @returns for each find its rule and line, `privatekey in line 3`, in the order of the text */
export async function findSecrets(text: string): Promise<readonly string[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: "object", ext: "", contentType: "text" },
    options: { config: CONFIG, maskSecrets: true, noPhysicFilePath: true },
  });
  const found = [
    ...messages
      .filter(({ ruleId, range }) => !(ruleId.endsWith("-basicauth") && SHOWN.test(text.slice(...range))))
      .map(({ ruleId, range }) => ({ rule: ruleId.replace("@secretlint/secretlint-rule-", ""), at: range[0] })),
    ...Array.from(text.matchAll(SHORT_KEY), ({ index }) => ({ rule: "privatekey", at: index })),
  ].sort((a, b) => a.at - b.at);
  const { lineAt } = openLines(text);
  return [...new Set(found.map(({ rule, at }) => `${rule} in line ${lineAt(at)}`))];
}
