/** GATEWAY_HEADER belongs to the opt-in AI gateway between us and models (interface §1, AI_GATEWAY_ID). */

export const GATEWAY_HEADER = "ai-gateway-id";
