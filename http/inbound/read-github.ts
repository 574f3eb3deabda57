import { createHash } from "node:crypto"
import type { Config } from "../../contracts/config/config.ts"
import { githubCommentSchema } from "../../contracts/http/inbound-webhook.ts"
import { dayMs } from "../../domain/text/duration.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import { isHmacOf } from "./constant-time.ts"
import { commandOf } from "./github-command.ts"
import type { InboundWebhook, WebhookRefusal } from "./inbound-command.ts"
import { forged, type InboundRequest, parseWebhook } from "./inbound-request.ts"

/** How long a delivery's content is remembered. GitHub signs no time, so a captured delivery stays valid. */
const keepMs = 90 * dayMs
const longestAgeMs = 30 * dayMs

/** How long it takes at least to look at a pause and to write about it. GitHub's time is in whole seconds. */
const writingMs = 5_000

const commentEvent = "issue_comment"
const maxShownEvent = 60

/** GitHub shows the answer next to its delivery. */
const ignored = (reason: string): InboundWebhook => ({ kind: "ignored", answer: { reason } })

type GithubHook = Extract<Config["inbound"][string], { readonly type: "github" }>

/** GitHub's names differ by more than their case. */
const isOneOf = (names: readonly string[], name: string): boolean =>
  names.some((each) => each.toLowerCase() === name.toLowerCase())

const commentRefusal = (hook: GithubHook, login: string, repository: string): WebhookRefusal | undefined => {
  if (!isOneOf(hook.approvers, login)) return "not an approver"
  return isOneOf(hook.repositories ?? [repository], repository) ? undefined : "another repository"
}

/** Verifies and parses GitHub's `issue_comment`, signed by `X-Hub-Signature-256`; other events are ignored. @throws AdjutantError `unauthorized`, `invalid_json` */
export const readGithub = (
  request: InboundRequest,
  secret: string,
  { hook, nowMs }: { readonly hook: GithubHook; readonly nowMs: number },
): InboundWebhook => {
  const signature = /^sha256=([0-9a-f]{64})$/.exec(request.header("x-hub-signature-256") ?? "")?.[1]
  if (signature === undefined || !isHmacOf(signature, secret, request.body)) throw forged()
  const event = request.header("x-github-event")
  if (event !== commentEvent)
    return ignored(`this hook handles the event ${commentEvent}, not ${startOf(event ?? "nothing", maxShownEvent)}`)
  const parsed = githubCommentSchema.safeParse(parseWebhook(request.body.toString("utf8")))
  if (!parsed.success) return ignored("the body is not that of a comment")
  if (parsed.data.action !== "created") return ignored("only new comments count, not changed or deleted ones")
  const { body, created_at, user } = parsed.data.comment
  const repository = parsed.data.repository?.full_name ?? ""
  const command = commandOf(body)
  if (command === undefined) return ignored("the comment does not begin with a command")
  const writtenAtMs = Date.parse(created_at)
  // A checkpoint names the pause that the author saw, however old the comment is.
  const isTooOld = command.checkpointId === undefined && nowMs - writtenAtMs > longestAgeMs
  return {
    kind: "command",
    command: { ...command, seenAtMs: writtenAtMs - writingMs },
    by: user.login,
    refusal: commentRefusal(hook, user.login, repository) ?? (isTooOld ? "too old" : undefined),
    author: "person",
    identity: { kind: "github", id: user.login },
    deliveryKey: createHash("sha256").update(request.body).digest("hex"),
    keepMs,
  }
}
