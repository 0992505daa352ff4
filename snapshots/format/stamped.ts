/** Tells whether a page that a server sent is a page of the snapshot: the same text but for what ../http/stamp.ts fills in. Whoever sent it
 *  controls all of it: of what is filled in, only the form is held against what a server may say there. */

/** Relative: no colon, so no scheme, and no slash first, so no other host. */
const LINK = '<a href="(?!/)[\\w./=~%-]*">';
const DAY = '<time datetime="[\\dTZ:.-]+">[\\d-]+</time>';
const NAME = `(?:<bdi>[^<>]*</bdi>|${LINK}<bdi>[^<>]*</bdi></a>)`;
const PROOF = `${LINK}<bdi>CUB-\\d+</bdi></a>(?:, first seen in ${LINK}snapshot \\d+</a>)?`;
const SENTENCE = `(?:not known|(?:; these bytes since |; |, |: | → |Snapshot \\d+|\\d+ (?:added|changed|removed)|nothing changed| · |${LINK}(?:snapshot \\d+|what changed|\\d+ revisions)</a>|${DAY})*)`;

/** PLAIN_FILES tells readers without scripts what they miss on a host that answers no query. */
export const PLAIN_FILES =
  '<noscript><p class="quiet">This is a host of plain files: orders, filters and the search of records need a script; without one everything is shown.</p></noscript>';

/** The text that each stamp becomes. */
const FILLED = {
  first: form(SENTENCE),
  changes: form(`(?:<p>${SENTENCE}</p>(?:<ul class="plain">(?:<li class="warning">${DAY}, weaker: ${NAME}: [^<>]*</li>)*</ul>)?)?`),
  // The states themselves are words of the registry, escaped.
  states: form(
    `(?:<p>Also proved as ${PROOF}(?:; ${PROOF})*\\.</p>)?(?:<h2 id="states">States over time</h2>(?:<p>${LINK}\\d+ revisions</a></p>)?(?:<p class="quiet">\\d+ earlier changes? (?:is|are) not shown\\.</p>)?<dl class="pairs">(?:<dt>${LINK}${DAY}</a></dt><dd dir="auto">snapshot \\d+: [^<>]*</dd>)*</dl>)?`,
  ),
  leaks: form(
    `<p>(?:The record of this snapshot says nothing of it; |Every public file was looked through for what is gated or private, and nothing was found\\.(?: One exception is allowed by the operator\\.| \\d+ exceptions are allowed by the operator\\.)? Rule \\w+; )${LINK}as JSON</a>\\.</p>`,
  ),
  host: form(`(?:${PLAIN_FILES})?`),
} as const;

const STAMP = /<!--stamp:(first|changes|states|leaks|host)-->/;

function form(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

/** isStamped tells whether a served page is a file of the snapshot with its stamp filled in.
 *  @param file of the snapshot; @param served in its place */
export function isStamped(file: string, served: string): boolean {
  const found = STAMP.exec(file);
  if (found === null || file === served) return file === served;
  const [stamp, name] = found as unknown as readonly [string, keyof typeof FILLED];
  const [before, after] = [file.slice(0, found.index), file.slice(found.index + stamp.length)];
  if (served.length < before.length + after.length || !served.startsWith(before) || !served.endsWith(after)) return false;
  return FILLED[name].test(served.slice(before.length, served.length - after.length));
}
