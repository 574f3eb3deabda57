import { createHash } from "node:crypto"
import { z } from "zod"
import type { RemoteActor } from "../../sessions/actor.ts"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { unknownCheckpoint } from "../../domain/caller/missing-targets.ts"
import { type InboundAnswer, inboundAnswerSchema } from "../../contracts/http/inbound-webhook.ts"
import { fullAuthority } from "../../domain/caller/authority.ts"
import { idempotencyLeaseMs } from "../../domain/caller/idempotency-lease.ts"
import type { SignatureGuard } from "../security/guard-requests.ts"
import type { HttpContext } from "../http-options.ts"
import { httpFailureOf } from "../answers/http-failure.ts"
import { giveBackKey } from "../answers/idempotency.ts"
import { decisionsAnswerOf } from "../answers/decisions-answer.ts"
import { applyInbound, namedSession } from "../inbound/apply-inbound.ts"
import type { InboundWebhook, WebhookRefusal } from "../inbound/inbound-command.ts"
import { type InboundHook, readInbound } from "../inbound/inbound-hook.ts"
import { addSignedRoutes, readSigned } from "../inbound/inbound-request.ts"
import { tellInSlack } from "../inbound/tell-in-slack.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

interface SentCommand {
  readonly webhook: Extract<InboundWebhook, { kind: "command" }>
  readonly sessionId: string
}

/** Applies a delivery once. A redelivery gets the answer of the first. */
const handleOnce = async (
  context: HttpContext,
  name: string,
  { webhook, sessionId }: SentCommand,
): Promise<InboundAnswer> => {
  const { store } = context
  const { command, by, deliveryKey, keepMs } = webhook
  const key = { scope: `hook ${name}`, key: deliveryKey }
  // The time is left out: a redelivery is signed again, at another time.
  const { seenAtMs: _, ...what } = command
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([what, by]))
    .digest("hex")
  const state = await store.idempotencyKeys.begin({ ...key, fingerprint, keepMs, leaseMs: idempotencyLeaseMs })
  if (state.kind === "answered") return inboundAnswerSchema.parse(JSON.parse(state.body))
  if (state.kind !== "begun")
    throw new AdjutantError("idempotency_conflict", "a delivery with this id is in progress or had different content")
  try {
    // Anybody else was refused before, so the sender may approve.
    const actor: RemoteActor = {
      ...{ by, via: `webhook:${name}`, kind: webhook.author, authority: fullAuthority },
      ...(webhook.identity === undefined ? {} : { identity: webhook.identity }),
    }
    const sent = await applyInbound(context, command, {
      sessionId,
      actor,
      deliveryId: `${key.scope} ${deliveryKey} ${state.attempt}`,
    })
    const { run_id, protected_pending, undecided } = decisionsAnswerOf(sent)
    const answer: InboundAnswer = { status: "accepted", task_id: sessionId, run_id, protected_pending, undecided }
    await store.idempotencyKeys.finish(key, { status: 202, body: JSON.stringify(answer) })
    return answer
  } catch (error) {
    await giveBackKey(store.idempotencyKeys, key, httpFailureOf(error).status)
    throw error
  }
}

const refusalErrors: Readonly<Record<WebhookRefusal, (name: string, by: string) => AdjutantError>> = {
  "not an approver": (name, by) =>
    new AdjutantError("forbidden", `${by} is not one of inbound.${name}.approvers; no decision was made`),
  "another repository": (name) =>
    new AdjutantError("forbidden", `the comment is in none of inbound.${name}.repositories; no decision was made`),
  "too old": () =>
    new AdjutantError(
      "checkpoint_stale",
      "this comment is too old to decide a call; write a new one, or name the checkpoint",
    ),
}

/** Rejects and audits a command that does not count: a signature proves the sender, not the person. */
const requireApprover = async ({ store }: HttpContext, name: string, sent: SentCommand): Promise<void> => {
  const { command, by, author, refusal } = sent.webhook
  if (refusal === undefined) return
  await store.audit.record({
    sessionId: sent.sessionId,
    runId: null,
    action: "webhook-refused",
    by,
    via: `webhook:${name}`,
    kind: author,
    detail: { asked: command.kind, reason: refusal },
  })
  throw refusalErrors[refusal](name, by)
}

const handleCommand = async (
  context: HttpContext,
  name: string,
  webhook: SentCommand["webhook"],
): Promise<InboundAnswer> => {
  const sessionId = await namedSession(context, webhook.command)
  const named = sessionId ?? webhook.command.checkpointId ?? ""
  await requireApprover(context, name, { webhook, sessionId: named })
  if (sessionId === undefined) throw unknownCheckpoint(named)
  return await handleOnce(context, name, { webhook, sessionId })
}

/** Adds the webhooks that decide, answer and steer. */
export const hookRoutes = async (
  parent: ZodApp,
  context: HttpContext,
  { hooks, guard }: { readonly hooks: ReadonlyMap<string, InboundHook>; readonly guard: SignatureGuard },
): Promise<void> =>
  await addSignedRoutes(parent, (app) => {
    app.post(
      "/v1/hooks/:name",
      routeOf("approvals", "receiveHook", "Receive a signed webhook that approves, rejects, answers or steers", {
        access: "signed",
        params: z.object({ name: z.string().min(1).max(64) }),
        answers: { 200: inboundAnswerSchema, 202: inboundAnswerSchema },
      }),
      async (request, reply) => {
        const known = hooks.get(request.params.name)
        if (known === undefined) {
          guard.refused(request, reply)
          throw new AdjutantError("route_not_found", "webhook not found; see inbound in the configuration")
        }
        const webhook = readSigned(guard, { request, reply }, (inbound) => readInbound(known, inbound, context.now()))
        if (webhook.kind === "ignored")
          return reply
            .code(200)
            .type("application/json; charset=utf-8")
            .serializer(JSON.stringify)
            .send({ status: "ignored", ...webhook.answer })
        const answer = await handleCommand(context, known.name, webhook).catch(async (error: unknown) => {
          if (webhook.replyUrl !== undefined && isAdjutantError(error))
            await tellInSlack(webhook.replyUrl, error.message, context.loaded.config)
          throw error
        })
        // Slack accepts only 200 as an answer.
        return reply.code(known.hook.type === "slack" ? 200 : 202).send(answer)
      },
    )
  })
