import type { CallDecision } from "../../../contracts/approval/decision.ts"
import type { PendingToolCall } from "../../../contracts/approval/pause.ts"
import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import type { ErrorCode } from "../../../contracts/error-code.ts"
import { Interrupted } from "../../host/interrupts.ts"
import { commandLineActor } from "../../actor.ts"
import { pauseHead, type PausedDocument } from "../../text/outcome-text.ts"
import type { EventHost } from "../progress/follow-events.ts"
import { decideCall, type PromptContext } from "./decide-call.ts"

type Owner = Pick<PausedDocument, "task_id" | "checkpoint_id">

/** A call with the session and the pause that it belongs to. */
interface OwnedCall {
  readonly owner: Owner
  readonly call: PendingToolCall
}

const ownedCalls = (document: PausedDocument): readonly OwnedCall[] =>
  (document.pause_reason.pending_tool_calls ?? []).map((call) => ({
    call,
    owner: {
      task_id: call.task_id ?? document.task_id,
      checkpoint_id: call.checkpoint_id ?? document.checkpoint_id,
    },
  }))

/** Errors that say that the pause is not what it was: it is shown again as it is. */
const overtaken: ReadonlySet<ErrorCode> = new Set([
  "already_decided",
  "call_not_found",
  "checkpoint_stale",
  "invalid_argument",
  "session_not_running",
])

const decideCalls = async (
  context: PromptContext,
  { client }: Pick<EventHost, "client">,
  calls: readonly OwnedCall[],
): Promise<readonly CallDecision[] | undefined> => {
  const decisions: CallDecision[] = []
  for (const [index, { call, owner }] of calls.entries()) {
    const position = calls.length === 1 ? "" : `Call ${index + 1} of ${calls.length}: `
    const readWhole = () => client.preview(owner.task_id, call.id)
    const decision = await decideCall(context, { call, readWhole }, position)
    if (decision === undefined) return undefined
    decisions.push(decision)
  }
  return decisions
}

/** Sends the decisions of one pause after another. */
const sendDecisions = async (
  { client }: EventHost,
  calls: readonly OwnedCall[],
  decisions: readonly CallDecision[],
): Promise<void> => {
  const byPause = Map.groupBy(calls.entries(), ([, { owner }]) => owner.checkpoint_id)
  for (const [checkpointId, group] of byPause) {
    const named = group.map(([index, { call }]) => [call.id, decisions[index]] as const)
    await client.decide({
      sessionId: group[0]?.[1].owner.task_id ?? "",
      checkpointId,
      decisions: Object.fromEntries(
        named.flatMap(([id, decision]) => (decision === undefined ? [] : [[id, decision]])),
      ),
      unlisted: "pending",
      actor: commandLineActor(),
    })
  }
}

/** Asks for the decisions or the answer of a pause and sends them. Returns false if nothing was sent. */
const answer = async (context: PromptContext, host: EventHost, document: PausedDocument): Promise<boolean> => {
  if (document.pause_reason.type === "input_required") {
    const text = (await context.person.ask("Your answer (empty: later): "))?.trim() ?? ""
    if (text === "") return false
    const { task_id: sessionId, checkpoint_id: checkpointId } = document
    await host.client.send({ sessionId, checkpointId, type: "message", text, actor: commandLineActor() })
    return true
  }
  const calls = ownedCalls(document)
  const decisions = calls.length === 0 ? undefined : await decideCalls(context, host, calls)
  if (decisions === undefined) return false
  await sendDecisions(host, calls, decisions)
  return true
}

/**
 * Shows a pause to the person at the terminal and sends what they decide. Returns false if they decide later, or with Ctrl-C: then nothing was sent,
 * not even for the calls that they had answered. `shownAnswer`: the model's text that is on the screen already.
 */
export const answerPause = async (
  context: PromptContext,
  host: EventHost,
  { document, shownAnswer }: { readonly document: PausedDocument; readonly shownAnswer: string },
): Promise<boolean> => {
  const { stdout, stderr } = context.io
  await context.person.discardTyped()
  stdout.write(`${pauseHead(document, shownAnswer)}\n`)
  try {
    return await answer(context, host, document)
  } catch (error) {
    if (error instanceof Interrupted) {
      // Below the ^C of the terminal.
      stderr.write("\n")
      return false
    }
    if (!isAdjutantError(error) || !overtaken.has(error.code)) throw error
    stderr.write(`adjutant: ${error.message}\n`)
    return true
  }
}
