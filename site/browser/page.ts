/** What the pages gain with a script: "/" goes to the search, what can be copied has a button, and the page can be verified. Every page
 *  works without. */

addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target;
  if (at instanceof HTMLElement && (at.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(at.tagName))) return;
  const field = document.querySelector<HTMLInputElement>("input[data-search]");
  if (field === null) return;
  event.preventDefault();
  field.focus();
  field.select();
});

if (navigator.clipboard !== undefined) {
  for (const place of document.querySelectorAll<HTMLElement>("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.setAttribute("aria-label", `Copy ${place.dataset["what"] ?? "this"}`);
    place.append(button);
  }
  addEventListener("click", async (event) => {
    const button = event.target;
    if (!(button instanceof HTMLButtonElement) || button.className !== "copy") return;
    const text = button.parentElement?.dataset["copy"] ?? "";
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch {
      button.textContent = "failed";
    }
    setTimeout(() => (button.textContent = "copy"), 1500);
  });
}

const asked = document.querySelector<HTMLElement>("[data-on-files]");
// A server would have answered the query with another page.
if (asked !== null && location.search !== "") void import(/* @vite-ignore */ new URL(asked.dataset["onFiles"] ?? "", location.href).href);

const place = document.querySelector<HTMLElement>("[data-verify]");
if (place !== null && crypto.subtle !== undefined) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Verify this page";
  button.addEventListener("click", () => {
    // Nobody who only reads loads it.
    void import(/* @vite-ignore */ new URL(place.dataset["verify"] ?? "", location.href).href);
  });
  place.append(button);
}
