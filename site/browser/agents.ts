/** The form that calls the MCP endpoint of this site, and shows the answer as text. */

const form = document.querySelector<HTMLFormElement>("form[data-try]");
if (form) start(form);

function start(form: HTMLFormElement): void {
  const tool = form.querySelector<HTMLSelectElement>("select[name=tool]");
  const given = form.querySelector<HTMLTextAreaElement>("textarea[name=arguments]");
  const status = form.querySelector<HTMLElement>("[data-status]");
  const shown = form.querySelector<HTMLElement>("[data-answer]");
  if (!tool || !given || !status || !shown) return;
  form.hidden = false;
  const example = () => (given.value = tool.selectedOptions[0]?.dataset["example"] ?? "{}");
  tool.addEventListener("change", example);
  example();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    let args: unknown;
    try {
      args = JSON.parse(given.value.trim() === "" ? "{}" : given.value);
    } catch {
      status.textContent = "The arguments are not JSON.";
      return;
    }
    status.textContent = "calling …";
    const started = performance.now();
    try {
      const endpoint = new URL(form.dataset["try"] ?? "", location.href);
      // This page may be an old one, under /at/<snapshot>/; the endpoint is only where the library is served now.
      endpoint.pathname = endpoint.pathname.replace(/\/at\/[0-9a-f]{64}\//, "/");
      const response = await fetch(endpoint, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool.value, arguments: args } }),
      });
      shown.textContent = describe(await response.text());
      status.textContent = `${response.status}, ${Math.round(performance.now() - started)} ms`;
    } catch {
      status.textContent = "The endpoint cannot be reached from here.";
    }
  });
}

/** The text of the result, indented when it is JSON; whatever else came, as it is. */
function describe(body: string): string {
  try {
    const message = JSON.parse(body) as { result?: { content?: readonly { text?: string }[] } };
    const text = message.result?.content?.[0]?.text;
    if (text === undefined) return JSON.stringify(message, null, 2);
    return text.startsWith("{") ? JSON.stringify(JSON.parse(text), null, 2) : text;
  } catch {
    return body;
  }
}
