/** The tools room is the table of tools for agents: arguments, results, and the route that each one is.
 *  It gives rows to the sidecar's MCP room and to the page for agents.
 *  A tool only reads. */
export { countFitting, jsonBytes, MAX_RESULT_BYTES, shorten } from "./budget.ts";
export { readText, takeLines } from "./object-text.ts";
export { findTool, inputJsonSchema, MCP_VERSIONS, outputJsonSchema, TOOL_NAMES, type ToolInfo, type ToolName, TOOLS } from "./table.ts";
