/** The opt-in AI gateway between us and models (interface §1, AI_GATEWAY_ID). */

/** Header that names the gateway's route. */
export const GATEWAY_HEADER = "ai-gateway-id";
