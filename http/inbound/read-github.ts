import { createHash } from "node:crypto"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { githubCommentSchema } from "../../contracts/http/inbound-webhook.ts"
import { dayMs } from "../../domain/text/duration.ts"
import { isHmacOf } from "./constant-time.ts"
import type { InboundDecision, InboundWebhook } from "./inbound-command.ts"
import { forged, type InboundRequest, parseJson } from "./inbound-request.ts"

const commandLine = /^\/(approve|reject)[ \t]+([A-Za-z0-9_-]{1,200})([ \t][^\r\n]*)?$/

/** Removes code blocks, which may only show a command. */
const withoutCode = (body: string): string => body.replaceAll(/^(```|~~~)[\s\S]*?^\1[^\n]*$/gm, "")

/** Returns the first command of a comment: `/approve <task_id> [call ids]`, `/reject <task_id> [call ids] [-- reason]`. */
export const commandOf = (body: string): InboundDecision | undefined => {
  for (const line of withoutCode(body).split(/\r?\n/)) {
    const [, kind, taskId, rest = ""] = commandLine.exec(line.trimEnd()) ?? []
    if (taskId === undefined || (kind !== "approve" && kind !== "reject")) continue
    const [ids = "", ...reason] = rest.split(/(?<=^|\s)--(?=\s|$)/)
    const callIds = ids.split(/[\s,]+/).filter((id) => id !== "" && id !== "all")
    const text = reason.join("--").trim()
    return {
      kind,
      taskId,
      callIds: callIds.length === 0 ? "all" : callIds,
      ...(text === "" ? {} : { reason: text }),
    }
  }
  return undefined
}

/** How long a delivery's content is remembered. GitHub signs no time, so a captured delivery stays valid. */
const keepMs = 90 * dayMs
const longestAgeMs = 30 * dayMs

/** Verifies and parses GitHub's `issue_comment`, signed by `X-Hub-Signature-256`. @throws AdjutantError `unauthorized`, `invalid_json` */
export const readGithub = (
  request: InboundRequest,
  secret: string,
  { approvers, nowMs }: { readonly approvers: readonly string[]; readonly nowMs: number },
): InboundWebhook => {
  const signature = /^sha256=([0-9a-f]{64})$/.exec(request.header("x-hub-signature-256") ?? "")?.[1]
  if (signature === undefined || !isHmacOf(signature, secret, request.body)) throw forged()
  const parsed = githubCommentSchema.safeParse(parseJson(request.body.toString("utf8")))
  if (!parsed.success || parsed.data.action !== "created") return { kind: "ignored" }
  const { body, created_at, user } = parsed.data.comment
  const command = commandOf(body)
  if (command === undefined) return { kind: "ignored" }
  const writtenAtMs = Date.parse(created_at)
  if (nowMs - writtenAtMs > longestAgeMs)
    throw new AdjutantError("checkpoint_stale", "this comment is too old to decide a call; write a new one")
  return {
    kind: "command",
    command: { ...command, writtenAtMs },
    by: user.login,
    isApprover: approvers.some((name) => name.toLowerCase() === user.login.toLowerCase()),
    deliveryKey: createHash("sha256").update(request.body).digest("hex"),
    keepMs,
  }
}
