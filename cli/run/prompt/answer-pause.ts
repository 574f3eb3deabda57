import type { CallDecision } from "../../../contracts/approval/decision.ts"
import type { PendingToolCall } from "../../../contracts/approval/pause.ts"
import { suggestedSeconds } from "../../../domain/advice/suggest-grant.ts"
import type { GrantTerms } from "../../../domain/approval/grant-terms.ts"
import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import type { ErrorCode } from "../../../contracts/error-code.ts"
import { Interrupted } from "../../terminal/interrupts.ts"
import { commandLineActor } from "../../../service/command-line-actor.ts"
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

/** A call that was decided, and the grant that is made with it. */
interface DecidedCall extends OwnedCall {
  readonly decision: CallDecision
  readonly grant?: GrantTerms | undefined
}

/** Asks for one call after another; `back` goes to the one before. Returns undefined for "later". */
const decideCalls = async (
  context: PromptContext,
  { client }: Pick<EventHost, "client">,
  calls: readonly OwnedCall[],
): Promise<readonly DecidedCall[] | undefined> => {
  const answers: DecidedCall[] = []
  let isAll = false
  for (let next = calls[0]; next !== undefined; next = calls[answers.length]) {
    const { call, owner } = next
    if (isAll && call.protected !== true) {
      answers.push({ call, owner, decision: { action: "accept" } })
      continue
    }
    const position = calls.length === 1 ? "" : `Call ${answers.length + 1} of ${calls.length}: `
    const readWhole = () => client.preview(owner.task_id, call.id)
    const answer = await decideCall(context, { call, readWhole, isOnly: calls.length === 1 }, position)
    if (answer.kind === "later") return undefined
    if (answer.kind === "back") {
      answers.pop()
      isAll = false
    }
    if (answer.kind === "all") isAll = true
    if (answer.kind === "decided") answers.push({ call, owner, ...answer })
  }
  return answers
}

/** Makes the grants, then sends the decisions of one pause after another. */
const sendDecisions = async ({ client }: EventHost, decided: readonly DecidedCall[]): Promise<void> => {
  for (const { grant, owner } of decided)
    if (grant !== undefined)
      await client.grant({
        ...{ sessionId: owner.task_id, tool: grant.tool, patterns: grant.arguments },
        ...{ expiresInSeconds: suggestedSeconds, actor: commandLineActor() },
      })
  for (const [checkpointId, group] of Map.groupBy(decided, ({ owner }) => owner.checkpoint_id)) {
    await client.decide({
      sessionId: group[0]?.owner.task_id ?? "",
      checkpointId,
      decisions: Object.fromEntries(group.map(({ call, decision }) => [call.id, decision])),
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
  const decided = calls.length === 0 ? undefined : await decideCalls(context, host, calls)
  if (decided === undefined) return false
  await sendDecisions(host, decided)
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
