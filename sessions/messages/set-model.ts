import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { isStrongerModel, resolveModelName } from "../../domain/models/model-choice.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import type { SessionRow } from "../../store/store.ts"
import { type Actor, auditedActor } from "../actor.ts"
import type { Sent } from "../send-request.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireDirectoryAccess } from "../authority/require-authority.ts"
import { requireSession } from "../rows/require-session.ts"
import { requirePrice } from "../settings/fields/require-price.ts"
import { latestSnapshot } from "../settings/resolve-follow-up.ts"
import { sendUpdateOrSignal } from "../../engine/send-update.ts"
import { newMessageId } from "../session-id.ts"
import { signControl } from "./sign-control.ts"

/** Sets the model of a session without a run; the configuration determines which models it may use. */
const setIdleModel = async (context: SessionsContext, row: SessionRow, wanted: string, actor: Actor): Promise<Sent> => {
  const { agent, cwd } = row
  const { model } = await context.resolveRun({ prompt: "", agent, cwd, model: wanted })
  await context.store.audit.record({
    sessionId: row.id,
    runId: null,
    action: "set-model",
    ...auditedActor(actor),
    detail: { model },
  })
  await context.store.sessions.patch(row.id, { model, internal: { ...row.internal, named_model: true } })
  return { state: "applied", runId: "" }
}

/**
 * Sets the model that the session uses from its next step on, and in later runs.
 * @throws AdjutantError `session_not_found`, `forbidden`, `model_not_found`, `limit_widened`, `price_unknown`, `temporal_unavailable`
 */
export const setModel = async (
  context: SessionsContext,
  change: { readonly sessionId: string; readonly model: string },
  actor: Actor,
): Promise<Sent> => {
  const { store } = context
  const row = await requireSession(store, change.sessionId)
  await requireDirectoryAccess(actor, row)
  if (row.runId === null) return await setIdleModel(context, row, change.model, actor)
  const snapshot = await latestSnapshot(context, row)
  const model = resolveModelName(change.model, snapshot.models)
  if (model === undefined) {
    const hint = didYouMean(change.model, Object.keys(snapshot.models))
    throw new AdjutantError(
      "model_not_found",
      `this session has no model ${change.model}${hint}: choose one of models in the configuration`,
    )
  }
  if (isStrongerModel(model, snapshot.model, snapshot))
    throw new AdjutantError(
      "limit_widened",
      `model ${model} is in a higher tier than ${snapshot.model} in modelTiers: start a new session for it`,
    )
  requirePrice({ ...snapshot, model })
  const id = newMessageId()
  await store.audit.record({
    sessionId: row.id,
    runId: row.runId,
    action: "set-model",
    ...auditedActor(actor),
    detail: { model },
    key: id,
  })
  const signature = await signControl(store, { name: "setModel", sessionId: row.id, id, model })
  const payload = { id, model, signature }
  const result = isFinal(row.status)
    ? ({ kind: "gone" } as const)
    : await sendUpdateOrSignal(
        context,
        { sessionId: row.id, name: "setModel", id, payload },
        { signalName: "setModel" },
      )
  await store.sessions.patch(row.id, { model })
  if (result.kind === "no-answer") return { state: "accepted", runId: row.runId }
  return { state: "applied", runId: result.kind === "applied" ? result.runId : row.runId }
}
