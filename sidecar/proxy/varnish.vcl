vcl 4.1;
# Varnish in front of proofshelf: keeps the public part, never the gated one. Yours to change: the two addresses.
#
#     varnishd -a :8080 -f /etc/varnish/proofshelf.vcl -s malloc,256m -p http_gzip_support=off
#
# Without http_gzip_support=off everything here stays true, but Varnish asks for gzip alone and weakens validators where it
# unpacks. Start the sidecar with `serve --no-rate-limits` and limit clients in what ends TLS in front of Varnish, which
# has no counter of its own.
#
# Three locks keep gated bytes out of the cache, and each holds without the other two:
#   1. the path:     only plainly spelled public paths are looked up or stored;
#   2. the request:  whoever sends a credential is neither answered from the cache nor stored in it;
#   3. the response: only what says `public, max-age=…` itself is stored.
import std;

probe well {
    # /health is 503 only when nothing at all can be served; then old answers go out instead, see `req.grace`.
    .url = "/health";
    .interval = 5s;
    .timeout = 2s;
    .window = 5;
    .threshold = 3;
    .initial = 3;
}

# Files, pages and queries: `serve`, or `serve --only site`.
backend origin {
    .host = "127.0.0.1";
    .port = "4321";
    .connect_timeout = 2s;
    .first_byte_timeout = 30s;
    .between_bytes_timeout = 30s;
    .probe = well;
}

# What has an effect or is gated: the same `serve`, or `serve --only sidecar`.
backend sidecar {
    .host = "127.0.0.1";
    .port = "4321"; # sidecar
    .connect_timeout = 2s;
    .first_byte_timeout = 30s;
    .between_bytes_timeout = 30s;
    .probe = well;
}

sub vcl_recv {
    # A session of somebody who signed in; nothing else of the server reads a cookie, and nothing that is kept is asked for with one.
    if (req.url !~ "^/(?:internal|api/code)(?:[/?]|$)") {
        unset req.http.Cookie;
    }
    # The server reads none of these. They end here all the same, so that a later one that does cannot be steered from outside.
    unset req.http.Proxy;
    unset req.http.X-Original-URL;
    unset req.http.X-Rewrite-URL;
    unset req.http.X-Original-URI;
    unset req.http.X-Forwarded-Prefix;
    unset req.http.X-Forwarded-Host;
    unset req.http.X-HTTP-Method-Override;
    # Varnish has written its client at the end of X-Forwarded-For by now. This one would be the client's own.
    unset req.http.Forwarded;

    # A spelling that only looks like one of these finds nothing there. What is offered is for the process to say that offers
    # most of it.
    if (req.url ~ "(?i)^/+(?:internal|mcp|ask|health|api/+(?:code|ask|reindex|capabilities)|(?:at/+[^/?]*/+)?api/+ai-search)(?:[^a-z0-9-]|$)") {
        set req.backend_hint = sidecar;
    } else {
        set req.backend_hint = origin;
    }

    if (req.method == "PRI") {
        return (synth(405));
    }
    # Never pipe: through a pipe the next requests of a connection would go past all of this.
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }

    # Lock 2. The three names are those of `access.headers`; change them here when you change them there.
    if (req.http.Authorization || req.http.Edge-Access-Token || req.http.Edge-Access-Client-Id || req.http.Edge-Access-Client-Secret) {
        return (pass);
    }

    # Lock 1. req.url is what the client wrote, and is also what the server is sent and what the key is made of: as nothing in
    # between decodes or tidies, no two programs can read one path differently.
    # A gated or effectful route in any case, whatever follows its name.
    if (req.url ~ "(?i)^/+(?:internal|mcp|api/+(?:code|ask|reindex)|(?:at/+[^/?]*/+)?api/+ai-search)(?:[^a-z0-9-]|$)") {
        return (pass);
    }
    # Letters of the part that decides have no reason to be escaped.
    if (req.url ~ "(?i)^/(?:api/)?[^/?]*%") {
        return (pass);
    }
    # Non-empty segments of what URLs of ours consist of. Not: dot segments, an escaped dot, slash, backslash or NUL, ";".
    if (req.url !~ "^(?:/(?!\.{1,2}(?:[/?]|$))(?:[A-Za-z0-9._~!*'()=-]|%(?!00|2[EF]|5C)[0-9A-F]{2})+)*/?(?:\?|$)") {
        return (pass);
    }

    # Three values instead of the hundreds that browsers send, because answers are kept per value; q=0 is a refusal.
    if (req.http.Accept-Encoding ~ "(?i)(?:^|,)\s*br\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))") {
        set req.http.Accept-Encoding = "br";
    } elsif (req.http.Accept-Encoding ~ "(?i)(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))") {
        set req.http.Accept-Encoding = "gzip";
    } else {
        unset req.http.Accept-Encoding;
    }

    # How old an answer may be that goes out while a new one is fetched behind it: what `stale-while-revalidate` allows.
    # When the server is down there is no limit but that of `beresp.grace` below.
    if (std.healthy(req.backend_hint)) {
        set req.grace = 600s;
        # A kept snapshot may have been taken back, and says nothing of old answers.
        if (req.url ~ "^/at/") {
            set req.grace = 0s;
        }
    }
    return (hash);
}

sub vcl_hash {
    # No host in it: the answer does not depend on one, so nobody can fill the cache with invented ones.
    hash_data(req.url);
    return (lookup);
}

sub vcl_backend_fetch {
    # Answered when the build is done.
    if (bereq.url == "/api/reindex") {
        set bereq.first_byte_timeout = 3h;
    }
}

sub vcl_backend_response {
    if (bereq.uncacheable) {
        return (deliver);
    }
    # Fetched behind a stale answer: that one stays, for the server is unwell. A 404 replaces it: what is gone is gone.
    if (bereq.is_bgfetch && beresp.status >= 500) {
        return (abandon);
    }
    # Lock 3. Answers differ by Accept-Encoding alone; one that differs by more is not kept. The next reader of the same path
    # is not made to wait for this one.
    if (beresp.http.Cache-Control !~ "(?i)^public, max-age=" || beresp.http.Cache-Control ~ "(?i)private|no-store|no-cache" ||
        beresp.http.Set-Cookie || (beresp.http.Vary && beresp.http.Vary !~ "(?i)^accept-encoding$")) {
        set beresp.ttl = 30s;
        set beresp.grace = 0s;
        set beresp.keep = 0s;
        set beresp.uncacheable = true;
        return (deliver);
    }
    # One large file would push out everything else. Passed on, it is also asked for in ranges.
    if (std.integer(beresp.http.Content-Length, 0) > 33554432) {
        return (pass(1h));
    }
    # For the time in which the server is down, and to ask with If-None-Match afterwards.
    set beresp.grace = 24h;
    set beresp.keep = 1h;
}

sub vcl_backend_error {
    set beresp.http.Content-Type = "application/problem+json";
    set beresp.http.Cache-Control = "private, no-store";
    set beresp.http.Retry-After = "5";
    set beresp.body = """{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"The server behind this address does not answer."}""";
    return (deliver);
}

sub vcl_synth {
    set resp.http.Content-Type = "application/problem+json";
    set resp.http.Cache-Control = "private, no-store";
    set resp.body = {"{"type":"about:blank","title":""} + resp.reason + {"","status":"} + resp.status + {"}"};
    return (deliver);
}

sub vcl_deliver {
    if (obj.uncacheable) {
        set resp.http.X-Cache = "PASS";
    } elsif (obj.hits > 0) {
        set resp.http.X-Cache = "HIT";
    } else {
        set resp.http.X-Cache = "MISS";
    }
}
