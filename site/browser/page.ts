/** What the pages gain with a script: "/" goes to the search, and what can be copied has a button. Every page works without. */

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
