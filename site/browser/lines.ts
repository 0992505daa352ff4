/** Ranges of lines on a page that shows them: `#L10-L20`, made by a click on a line's number and another, with or without shift, or
 *  typed. Without a script `#L10` works, and `?lines=10-20` where a server answers. */

const lines = new Map([...document.querySelectorAll<HTMLElement>(".line[id]")].map((line) => [Number(line.id.slice(1)), line]));

type Range = readonly [start: number, end: number];
/** The line that was clicked first, while the second one is awaited. */
let anchor: number | null = null;

const rangeOf = (text: string): Range | null => {
  const [, from, to] = /^(?:#L)?(\d+)(?:(?:-|\u2013)L?(\d+))?$/.exec(text.replaceAll(" ", "")) ?? [];
  const [start, end] = [Number(from), Number(to ?? from)].sort((a, b) => a - b) as [number, number];
  return lines.has(start) && lines.has(end) ? [start, end] : null;
};

const hashOf = ([start, end]: Range): string => (start === end ? `#L${start}` : `#L${start}-L${end}`);

function mark(range: Range | null): void {
  for (const line of document.querySelectorAll(".line[data-picked]")) line.removeAttribute("data-picked");
  if (range !== null) for (let number = range[0]; number <= range[1]; number++) lines.get(number)?.setAttribute("data-picked", "");
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
  const range = rangeOf(decodeURIComponent(location.hash));
  mark(range);
  if (range !== null) lines.get(range[0])?.scrollIntoView({ block: "center" });
}

const place = document.querySelector("[data-lines]");
if (place !== null) {
  const form = document.createElement("form");
  form.innerHTML = `<label>Lines <input size="9" placeholder="10-20" autocomplete="off"></label> <button>Show</button>`;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const input = form.querySelector("input");
    const range = rangeOf(input?.value ?? "");
    input?.setCustomValidity(range === null ? `Lines of this file are 1 to ${lines.size}: write 12, or 12-20.` : "");
    input?.reportValidity();
    if (range === null) return;
    choose(range);
    follow();
  });
  form.addEventListener("input", (event) => (event.target as HTMLInputElement).setCustomValidity(""));
  place.append(form);
}

addEventListener("hashchange", follow);
follow();
