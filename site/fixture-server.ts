/** Serves fixture pages under /<fixture name>/…, as the real servers do: same paths, same Content-Security-Policy. */
import type { Renderer } from "../snapshots/page/renderer.ts";
import { fixtures, IMAGE_FIXTURE_PATH } from "./fixtures.ts";

export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; frame-src 'self'";

export type FixtureAnswer = { readonly status: number; readonly type: string; readonly body: Uint8Array };

/** A grey square. */
const PICTURE = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");

export async function answerFixture(renderer: Renderer, url: string): Promise<FixtureAnswer> {
  const [, name = "", rest = "/"] = /^\/([^/]+)(\/[^?]*)/.exec(url) ?? [];
  const fixture = fixtures.find(
    (candidate) => (candidate.name === name || candidate.name.replace(/-\d+$/, "") === name) && candidate.input.chrome.path === rest,
  );
  if (fixture !== undefined) {
    return { status: 200, type: "text/html; charset=utf-8", body: await renderer.render(fixture.input) };
  }
  const asset = renderer.assets.find(({ path }) => `/${path}` === rest || `/${path}` === url);
  if (asset !== undefined) return { status: 200, type: asset.type, body: asset.bytes };
  if (rest === IMAGE_FIXTURE_PATH) return { status: 200, type: "image/png", body: PICTURE };
  return { status: 404, type: "text/plain", body: new Uint8Array() };
}
