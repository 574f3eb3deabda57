import { createHash } from "node:crypto"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Config } from "../../contracts/config/config.ts"
import { githubCommentSchema } from "../../contracts/http/inbound-webhook.ts"
import { dayMs } from "../../domain/text/duration.ts"
import { isHmacOf } from "./constant-time.ts"
import type { InboundDecision, InboundWebhook } from "./inbound-command.ts"
import { forged, type InboundRequest, parseWebhook } from "./inbound-request.ts"

const commandLine = /^\/(approve|reject)[ \t]+([A-Za-z0-9_-]{1,200})([ \t][^\r\n]*)?$/

/** Removes code blocks, which may only show a command. */
const withoutCode = (body: string): string => body.replaceAll(/^(```|~~~)[\s\S]*?^\1[^\n]*$/gm, "")

/** A checkpoint, as the activity that opens a pause creates it. */
const checkpoint = /^cp_[A-Za-z0-9_-]{10,200}$/

/**
 * Returns the first command of a comment: `/approve <task_id> [checkpoint] [call ids]`, `/reject <task_id> [checkpoint] [call ids] [-- reason]`.
 */
export const commandOf = (body: string): InboundDecision | undefined => {
  for (const line of withoutCode(body).split(/\r?\n/)) {
    const [, kind, taskId, rest = ""] = commandLine.exec(line.trimEnd()) ?? []
    if (taskId === undefined || (kind !== "approve" && kind !== "reject")) continue
    const [ids = "", ...reason] = rest.split(/(?<=^|\s)--(?=\s|$)/)
    const named = ids.split(/[\s,]+/).filter((id) => id !== "" && id !== "all")
    const [first] = named
    const checkpointId = first !== undefined && checkpoint.test(first) ? first : undefined
    const callIds = checkpointId === undefined ? named : named.slice(1)
    const text = reason.join("--").trim()
    return {
      kind,
      taskId,
      checkpointId,
      callIds: callIds.length === 0 ? "all" : callIds,
      ...(text === "" ? {} : { reason: text }),
    }
  }
  return undefined
}

/** How long a delivery's content is remembered. GitHub signs no time, so a captured delivery stays valid. */
const keepMs = 90 * dayMs
const longestAgeMs = 30 * dayMs

/** How long it takes at least to look at a pause and to write about it. GitHub's time is in whole seconds. */
const writingMs = 5_000

type GithubHook = Extract<Config["inbound"][string], { readonly type: "github" }>

/** GitHub's names differ by more than their case. */
const isOneOf = (names: readonly string[], name: string): boolean =>
  names.some((each) => each.toLowerCase() === name.toLowerCase())

/** Verifies and parses GitHub's `issue_comment`, signed by `X-Hub-Signature-256`. @throws AdjutantError `unauthorized`, `invalid_json` */
export const readGithub = (
  request: InboundRequest,
  secret: string,
  { hook, nowMs }: { readonly hook: GithubHook; readonly nowMs: number },
): InboundWebhook => {
  const signature = /^sha256=([0-9a-f]{64})$/.exec(request.header("x-hub-signature-256") ?? "")?.[1]
  if (signature === undefined || !isHmacOf(signature, secret, request.body)) throw forged()
  const parsed = githubCommentSchema.safeParse(parseWebhook(request.body.toString("utf8")))
  if (!parsed.success || parsed.data.action !== "created") return { kind: "ignored" }
  const { body, created_at, user } = parsed.data.comment
  const repository = parsed.data.repository?.full_name ?? ""
  const command = commandOf(body)
  if (command === undefined) return { kind: "ignored" }
  const writtenAtMs = Date.parse(created_at)
  if (nowMs - writtenAtMs > longestAgeMs)
    throw new AdjutantError("checkpoint_stale", "this comment is too old to decide a call; write a new one")
  return {
    kind: "command",
    command: { ...command, seenAtMs: writtenAtMs - writingMs },
    by: user.login,
    refusal: isOneOf(hook.approvers, user.login)
      ? isOneOf(hook.repositories ?? [repository], repository)
        ? undefined
        : "another repository"
      : "not an approver",
    deliveryKey: createHash("sha256").update(request.body).digest("hex"),
    keepMs,
  }
}
