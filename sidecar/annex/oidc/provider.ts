/** The OpenID provider that the configuration names. Everything that it answers is checked by openid-client: issuer, state, nonce,
 *  signature, audience and times. */
import * as oidc from "openid-client";
import type { OwnSignIn } from "#snapshots/schema";

const TIMEOUT = 10; // seconds, of each request to the provider

type Person = {
  readonly subject: string;
  /** Null when the provider names none, or does not say that it is verified. */
  readonly email: string | null;
  readonly groups: readonly string[];
};

export type Provider = Awaited<ReturnType<typeof openProvider>>;
/** Begun is what a sign-in under way must remember. */
type Begun = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** openProvider reads the provider's description. @param redirect where it sends people back
 *  @param secret null for a client without one */
export async function openProvider({ issuer, clientId, groups, groupsClaim }: OwnSignIn, redirect: string, secret: string | null) {
  const server = new URL(issuer);
  // Only a provider on this machine may be asked over a line that is not encrypted; the configuration is refused otherwise.
  const execute = server.protocol === "http:" ? [oidc.allowInsecureRequests] : [];
  const authentication = secret === null ? oidc.None() : oidc.ClientSecretBasic(secret);
  const client = await oidc.discovery(server, clientId, {}, authentication, { execute, timeout: TIMEOUT });
  // Against the provider's own keys, although the line to it would do (OpenID Connect Core 3.1.3.7 §6).
  oidc.enableNonRepudiationChecks(client);
  const scope = groups.length === 0 ? "openid email" : "openid email groups";
  return {
    /** @returns the provider's address that asks the person, and what the answer is held against */
    async begin(): Promise<Begun & { readonly url: string }> {
      const verifier = oidc.randomPKCECodeVerifier();
      const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
      const url = oidc.buildAuthorizationUrl(client, {
        redirect_uri: redirect,
        scope: groupsClaim === "groups" ? scope : "openid email",
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      return { state, nonce, verifier, url: url.href };
    },
    /** @param answered the address that the person came back to. @throws whatever is wrong with it */
    async finish(answered: URL, { state, nonce, verifier }: Begun): Promise<Person> {
      const tokens = await oidc.authorizationCodeGrant(client, answered, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new TypeError("the provider sent no ID token");
      const isWhole = claims["email"] !== undefined && (groups.length === 0 || claims[groupsClaim] !== undefined);
      const more =
        isWhole || client.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await oidc.fetchUserInfo(client, tokens.access_token, claims.sub);
      return personOf({ ...more, ...claims }, groupsClaim);
    },
  };
}

function personOf(claims: Readonly<Record<string, unknown>>, groupsClaim: string): Person {
  const { sub, email, email_verified: verified } = claims;
  const groups = claims[groupsClaim];
  return {
    subject: String(sub),
    email: typeof email === "string" && (verified === true || verified === "true") ? email : null,
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === "string") : [],
  };
}
