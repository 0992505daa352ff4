/** The keys of `access` with which the sidecar itself signs people in, with an OpenID provider. */
import { z } from "zod";
import { type AnnexKeys, type ConfigProblem, domains, emails, isSafeAddress, listAt, names, some, valueAt } from "#generator/config";

const keys = {
  clientId: some("the client id").optional().meta({ description: "With kind oidc: what the provider calls this library" }),
  allow: z
    .strictObject({ emails, domains, groups: names("Authorized groups").default([]) })
    .optional()
    .meta({ description: "With kind oidc: who is let in" }),
  groupsClaim: some("the name of a claim").default("groups").meta({ description: "With kind oidc: claim that holds a person's groups" }),
  sessionHours: z
    .number()
    .positive("is not more than 0; write a number of hours")
    .max(720, "is more than 30 days; write a number of hours")
    .default(12)
    .meta({ description: "With kind oidc: hours after which a person signs in again" }),
};

type Keys = z.output<z.ZodObject<typeof keys>>;

declare module "../../config/keys.ts" {
  interface SignInKeys extends Keys {}
}

const OF_GATEWAY = ["audience", "humanAudience", "jwks", "signIn"];

function check(access: unknown): readonly ConfigProblem[] {
  const at = (key: string, what: string): ConfigProblem => ({ path: ["access", key], what });
  const has = (key: string): boolean => valueAt(access, [key]) !== undefined;
  const issuer = valueAt(access, ["issuer"]);
  const nobody = ["emails", "domains", "groups"].every((key) => listAt(access, ["allow", key]).length === 0);
  const people = ["emails", "domains"].filter((key) => listAt(access, ["policy", key]).length > 0);
  return [
    ...OF_GATEWAY.filter(has).map((key) => at(key, "is heard only with kind: gateway; take one of the two away")),
    ...["issuer", "clientId", "allow"].filter((key) => !has(key)).map((key) => at(key, "is missing; kind: oidc needs it")),
    ...(typeof issuer === "string" && !isSafeAddress(issuer)
      ? [at("issuer", "is not the https address of a provider; http is taken from this machine only")]
      : []),
    ...(has("allow") && nobody ? [at("allow", "lets nobody in; name emails, domains or groups")] : []),
    ...people.map((key) => ({ path: ["access", "policy", key], what: `is not heard with kind: oidc; write it under allow.${key}` })),
  ];
}

export const KEYS: AnnexKeys = {
  signIn: {
    kind: "oidc",
    keys,
    check,
    resolve: ({ allow = { emails: [], domains: [], groups: [] }, issuer, clientId = "", groupsClaim, sessionHours, policy }) => ({
      // No token of anybody else is taken where people sign in here.
      issuer: null,
      policy: { ...policy, emails: allow.emails, domains: allow.domains },
      oidc: { issuer: issuer ?? "", clientId, groups: allow.groups, groupsClaim, sessionHours },
    }),
  },
  secrets: ["SESSION_KEY", "OIDC_CLIENT_SECRET"],
};
