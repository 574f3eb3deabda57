import type { Fault } from "../../scripts/sabotage/fault.ts"

export const http: readonly Fault[] = [
  {
    name: "another body with the same idempotency key gets the stored answer",
    file: "http/answers/idempotency.ts",
    find: "[method, url, body ?? null]",
    replace: "[method, url]",
  },
  {
    name: "callers share their idempotency keys",
    file: "http/answers/idempotency.ts",
    find: "scope: `http ${request.caller.name}`",
    replace: `scope: "http"`,
  },
  {
    name: "a request that was refused keeps its idempotency key",
    file: "http/answers/idempotency.ts",
    find: "status >= 500 ? keys.suspend(key) : keys.release(key)",
    replace: "keys.suspend(key)",
    triedFirst: "test/unit/http/answers/idempotency.test.ts",
  },
  {
    name: "a page on another port of the same host may send requests",
    file: "domain/web/loopback-host.ts",
    find: "url.host === hostHeader?.toLowerCase()",
    replace: `url.hostname === hostHeader?.toLowerCase().split(":")[0]`,
  },
  {
    name: "a server on loopback accepts any IP address as its host",
    file: "http/security/guard-requests.ts",
    find: "(!isLoopback(listenHost) && isIP(name) !== 0)",
    replace: "isIP(name) !== 0",
  },
  {
    name: "a code of the page is valid more than once",
    file: "http/security/page-codes.ts",
    find: "      expiries.delete(digest)\n",
    replace: "",
  },
  {
    name: "wrong tokens can be tried without a limit",
    file: "http/security/guard-requests.ts",
    find: `guard.refused(request, reply)
  reply.header("www-authenticate", "Bearer")`,
    replace: `reply.header("www-authenticate", "Bearer")`,
  },
  {
    name: "quotes in a text are not escaped in a page",
    file: "http/pages/escape-html.ts",
    find: `/[&<>"']/g`,
    replace: "/[&<>]/g",
  },
  {
    name: "an old request of Slack is accepted again",
    file: "http/inbound/read-slack.ts",
    find: " || !isFresh)",
    replace: ")",
    triedFirst: "test/unit/http/hooks.test.ts",
  },
  {
    name: "a comment in any repository decides calls",
    file: "http/inbound/read-github.ts",
    find: "isOneOf(hook.repositories ?? [repository], repository)",
    replace: `repository !== ""`,
  },
  {
    name: "a reader with a cursor of another log waits instead of being told",
    file: "http/sse/start-position.ts",
    find: "cursor < beginning || cursor > lastId",
    replace: "cursor < beginning",
  },
  {
    name: "a bound link accepts the token of a caller who may not approve",
    file: "http/routes/approval-links.ts",
    find: `if (!mayCall(caller, "approve"))`,
    replace: `if (!mayCall(caller, "read"))`,
  },
]
