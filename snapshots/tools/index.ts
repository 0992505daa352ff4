/** The face of the tools for agents. */
export { countFitting, cutText, jsonBytes, MAX_RESULT_BYTES, shorten } from "./budget.ts";
export { readText, takeLines } from "./object-text.ts";
export { findTool, inputJsonSchema, MCP_VERSIONS, outputJsonSchema, TOOL_NAMES, type ToolInfo, type ToolName, TOOLS } from "./table.ts";
