/** Ranges of lines on a page that shows them: `#L10-L20`, made by a click on a line's number and another, with or without shift, or
 *  typed. Without a script `#L10` works, and `?lines=10-20` where a server answers. */

import { ownHash } from "./own-hash.ts";

const place = document.querySelector<HTMLElement>("[data-lines]");
/** Lines of the whole text, of which this page may be a part. */
const count = Number(place?.dataset["lines"]);
const lines = new Map([...document.querySelectorAll<HTMLElement>(".line[id]")].map((line) => [Number(line.id.slice(1)), line]));

type Range = readonly [start: number, end: number];
/** The line that was clicked first, while the second one is awaited. */
let anchor: number | null = null;

const rangeOf = (text: string): Range | null => {
  const [, from, to] = /^L?(\d+)(?:(?:-|\u2013)L?(\d+))?$/.exec(text.replaceAll(" ", "")) ?? [];
  const [start, end] = [Number(from), Number(to ?? from)].sort((a, b) => a - b) as [number, number];
  return start >= 1 && end <= count ? [start, end] : null;
};

const hashOf = ([start, end]: Range): string => (start === end ? `#L${start}` : `#L${start}-L${end}`);

function mark(range: Range | null): void {
  for (const [number, line] of lines) line.toggleAttribute("data-picked", range !== null && range[0] <= number && number <= range[1]);
}

function choose(range: Range): void {
  history.replaceState(history.state, "", hashOf(range));
  mark(range);
}

addEventListener("click", (event) => {
  const link = event.target;
  if (!(link instanceof HTMLAnchorElement) || link.parentElement?.classList.contains("line") !== true || event.ctrlKey || event.metaKey)
    return;
  event.preventDefault();
  const number = Number(link.parentElement.id.slice(1));
  if (anchor === null || anchor === number) {
    anchor = anchor === number ? null : number;
    choose([number, number]);
    return;
  }
  choose([Math.min(anchor, number), Math.max(anchor, number)]);
  // With shift the first line stays, and the range follows.
  if (!event.shiftKey) anchor = null;
});

function follow(): void {
  mark(rangeOf(ownHash()));
  document.querySelector(".line[data-picked]")?.scrollIntoView({ block: "center" });
}

if (place !== null) {
  const form = document.createElement("form");
  form.innerHTML = `<label>Lines <input size="9" placeholder="10-20" autocomplete="off"></label> <button>Show</button>`;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const input = form.querySelector("input");
    const range = rangeOf(input?.value ?? "");
    input?.setCustomValidity(range === null ? `Lines of this file are 1 to ${count}: write 12, or 12-20.` : "");
    input?.reportValidity();
    if (range === null) return;
    // Another part of the text is gone to by its address.
    if (!lines.has(range[0])) location.hash = hashOf(range);
    else choose(range);
    follow();
  });
  form.addEventListener("input", (event) => (event.target as HTMLInputElement).setCustomValidity(""));
  place.append(form);
}

addEventListener("hashchange", follow);
follow();
