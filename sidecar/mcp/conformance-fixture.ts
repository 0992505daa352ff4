/** A server with the tools, resources and prompts that the conformance suite asks for, behind the same wiring as the
 *  library's: what it shows is that the wiring carries everything a server may do. */
import { NO_MODELS } from "./fixture.ts";
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
  type ProtocolEra,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { MCP_VERSIONS } from "../../snapshots/tools/table.ts";
import type { View } from "../../snapshots/http/view.ts";
import { type McpEndpoint, openMcp } from "./handler.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
const KEY = "a key of the conformance fixture, known to everybody";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const codec = createRequestStateCodec<{ step: string }>({ key: KEY });

const nameForm = z.object({ name: z.string() });
const askName = (message: string) => inputRequired.elicit({ message, requestedSchema: nameForm });
const sample = (question: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens });

export function openConformanceFixture(): McpEndpoint {
  const view = { options: { view: "public" }, current: async () => null } as unknown as View;
  return openMcp({ ...NO_MODELS, view, onError: () => undefined }, (_, era) => createFixtureServer(era));
}

function createFixtureServer(era: ProtocolEra): McpServer {
  const cache = { ttlMs: 1000, cacheScope: "public" as const };
  const server = new McpServer(
    { name: "conformance-fixture", version: "1.0.0" },
    {
      supportedProtocolVersions: [...MCP_VERSIONS],
      capabilities: {
        logging: {},
        completions: {},
        tools: {},
        prompts: {},
        ...(era === "legacy" ? { resources: { subscribe: true } } : {}),
      },
      cacheHints: {
        "tools/list": cache,
        "prompts/list": cache,
        "resources/list": cache,
        "resources/templates/list": cache,
        "resources/read": cache,
      },
      requestState: { verify: codec.verify },
    },
  );
  addContentTools(server);
  addDiagnosticTools(server);
  addInputTools(server);
  addResources(server);
  addPrompts(server);
  if (era === "legacy") {
    server.server.setRequestHandler("resources/subscribe", () => ({}));
    server.server.setRequestHandler("resources/unsubscribe", () => ({}));
  }
  server.server.setRequestHandler("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }));
  return server;
}

function addContentTools(server: McpServer): void {
  const resource = { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource content." };
  const mixed = { uri: "test://mixed-content-resource", mimeType: "application/json", text: '{"test":"data","value":123}' };
  server.registerTool("test_simple_text", { description: "Text" }, () => text("This is a simple text response for testing."));
  server.registerTool("test_image_content", { description: "Image" }, () => ({ content: [image] }));
  server.registerTool("test_audio_content", { description: "Audio" }, () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  }));
  server.registerTool("test_embedded_resource", { description: "Resource" }, () => ({ content: [{ type: "resource", resource }] }));
  server.registerTool("test_multiple_content_types", { description: "Three types" }, () => ({
    content: [{ type: "text", text: "Multiple content types test:" }, image, { type: "resource", resource: mixed }],
  }));
  server.registerTool("test_error_handling", { description: "Error" }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

function addDiagnosticTools(server: McpServer): void {
  const log = async ({ mcpReq }: ServerContext) => {
    for (const message of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", message);
      await wait(20);
    }
    return text("logged");
  };
  server.registerTool("test_tool_with_logging", { description: "Logs" }, log);
  server.registerTool("test_logging_tool", { description: "Logs" }, log);
  server.registerTool("test_tool_with_progress", { description: "Progress" }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      await wait(20);
    }
    return text("done");
  });
  // The wiring refuses with -32021 what the client has not declared.
  server.registerTool("test_missing_capability", { description: "Needs sampling" }, () =>
    inputRequired({ inputRequests: { question: sample("Anything?", 10) } }),
  );
  server.registerTool("test_streaming_elicitation", { description: "Streams, then asks" }, () =>
    inputRequired({ inputRequests: { user_name: askName("What is your name?") } }),
  );
  server.registerTool("test_trigger_tool_change", { description: "Nothing changes here" }, () => text("unchanged"));
  server.registerTool("test_trigger_prompt_change", { description: "Nothing changes here" }, () => text("unchanged"));
  server.registerTool(
    "test_custom_header",
    { description: "A parameter that a header repeats", inputSchema: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }) },
    () => text("agreed"),
  );
  server.registerTool(
    "json_schema_2020_12_tool",
    {
      description: "Tool with JSON Schema 2020-12 features",
      inputSchema: fromJsonSchema({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
        properties: {
          name: { type: "string" },
          address: { $ref: "#/$defs/address" },
          contactMethod: { type: "string", enum: ["phone", "email"] },
          phone: { type: "string" },
          email: { type: "string" },
        },
        allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
        if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
        // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
        then: { required: ["phone"] },
        else: { required: ["email"] },
        additionalProperties: false,
      }),
    },
    () => text("valid"),
  );
}

function addInputTools(server: McpServer): void {
  const name = (responses: Record<string, unknown> | undefined, key: string) => acceptedContent(responses, key, nameForm)?.name;
  server.registerTool("test_input_required_result_elicitation", { description: "Asks for a name" }, ({ mcpReq }) => {
    const given = name(mcpReq.inputResponses, "user_name");
    return given === undefined ? inputRequired({ inputRequests: { user_name: askName("What is your name?") } }) : text(`Hello, ${given}!`);
  });
  server.registerTool("test_input_required_result_sampling", { description: "Asks a model" }, ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, "capital_question");
    return given.kind === "sampling"
      ? text(JSON.stringify(given))
      : inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?", 100) } });
  });
  server.registerTool("test_input_required_result_list_roots", { description: "Asks for roots" }, ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, "client_roots");
    return given.kind === "roots"
      ? text(JSON.stringify(given))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  const confirm = inputRequired.elicit({ message: "Please confirm", requestedSchema: z.object({ ok: z.boolean() }) });
  for (const tool of ["test_input_required_result_request_state", "test_input_required_result_tampered_state"]) {
    server.registerTool(tool, { description: "Keeps state with the client" }, async ({ mcpReq }) => {
      if (acceptedContent(mcpReq.inputResponses, "confirm") !== undefined && mcpReq.requestState<{ step: string }>()?.step === "confirm")
        return text("state-ok");
      return inputRequired({ inputRequests: { confirm }, requestState: await codec.mint({ step: "confirm" }) });
    });
  }
  server.registerTool("test_input_required_result_multiple_inputs", { description: "Asks three things" }, async ({ mcpReq }) => {
    const { inputResponses: given } = mcpReq;
    if (
      name(given, "user_name") !== undefined &&
      inputResponse(given, "greeting").kind === "sampling" &&
      inputResponse(given, "client_roots").kind === "roots"
    )
      return text("all there");
    return inputRequired({
      inputRequests: {
        user_name: askName("What is your name?"),
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await codec.mint({ step: "all" }),
    });
  });
  server.registerTool("test_input_required_result_multi_round", { description: "Asks twice" }, async ({ mcpReq }) => {
    const step = mcpReq.requestState<{ step: string }>()?.step;
    if (step === "two" && acceptedContent(mcpReq.inputResponses, "step2") !== undefined) return text("both rounds done");
    if (step !== undefined && name(mcpReq.inputResponses, "step1") !== undefined) {
      const step2 = inputRequired.elicit({
        message: "Step 2: What is your favorite color?",
        requestedSchema: z.object({ color: z.string() }),
      });
      return inputRequired({ inputRequests: { step2 }, requestState: await codec.mint({ step: "two" }) });
    }
    return inputRequired({
      inputRequests: { step1: askName("Step 1: What is your name?") },
      requestState: await codec.mint({ step: "one" }),
    });
  });
  server.registerTool("test_input_required_result_capabilities", { description: "Asks only what the client can answer" }, ({ mcpReq }) => {
    const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
    const known = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
    return inputRequired({
      inputRequests: {
        ...(known?.sampling === undefined ? {} : { question: sample("Anything?", 10) }),
        ...(known?.elicitation === undefined ? {} : { user_name: askName("What is your name?") }),
      },
    });
  });
}

function addResources(server: McpServer): void {
  server.registerResource("static-text", "test://static-text", { mimeType: "text/plain" }, ({ href }) => ({
    contents: [{ uri: href, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  server.registerResource("static-binary", "test://static-binary", { mimeType: "image/png" }, ({ href }) => ({
    contents: [{ uri: href, mimeType: "image/png", blob: PNG }],
  }));
  server.registerResource("watched", "test://watched-resource", {}, ({ href }) => ({ contents: [{ uri: href, text: "watched" }] }));
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { mimeType: "application/json" },
    ({ href }, { id }) => ({
      contents: [
        { uri: href, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }) },
      ],
    }),
  );
}

function addPrompts(server: McpServer): void {
  const say = (value: string) => ({ role: "user" as const, content: { type: "text" as const, text: value } });
  server.registerPrompt("test_simple_prompt", { description: "Simple" }, () => ({
    messages: [say("This is a simple prompt for testing.")],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "Two arguments", argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => ({
      messages: [say(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "Resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
          },
        },
        say("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "Image" }, () => ({
    messages: [{ role: "user", content: image }, say("Please analyze the image above.")],
  }));
  const contextForm = z.object({ context: z.string() });
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks for context" }, ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, "user_context", contextForm);
    if (given !== undefined) return { messages: [say(`Context: ${given.context}`)] };
    return inputRequired({
      inputRequests: {
        user_context: inputRequired.elicit({ message: "What context should the prompt use?", requestedSchema: contextForm }),
      },
    });
  });
}
