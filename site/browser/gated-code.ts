/** Shows the text of a proof file that is no object, to who is let in: it is asked of its gated address, and stands from the declaration on.
 *  Without a script, and for who is not let in, the link stands alone. */
import { element } from "./draw.ts";

/** Lines of one side, as a record's page has them of a file that is an object. */
const MAX_LINES = 48;

for (const place of document.querySelectorAll<HTMLElement>("[data-code]")) void show(place);

async function show(place: HTMLElement): Promise<void> {
  const { code = "", name = "" } = place.dataset;
  const answer = await fetch(code).catch(() => null);
  if (answer?.ok !== true) return;
  const lines = (await answer.text()).split("\n");
  const short = name.split(/\.|::/).at(-1) ?? "";
  const declared = lines.findIndex((line) => short !== "" && /^\s*[a-z]/i.test(line) && line.split(/[^\p{L}\p{N}_']+/u).includes(short));
  const from = Math.max(0, declared);
  const shown = element("pre", "", lines.slice(from, from + MAX_LINES).join("\n"));
  shown.tabIndex = 0;
  place.before(shown);
}
