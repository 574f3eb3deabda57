import { createHash } from "node:crypto"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { CallDecision, SentDecision } from "../../contracts/approval/decision.ts"
import { argumentProblem } from "../../contracts/argument-problem.ts"
import { builtinInputSchemas } from "../../contracts/tool-input.ts"
import type { PauseRow, Store } from "../../store/store.ts"

type Arguments = Readonly<Record<string, unknown>>

const maxCharacters = 1_000_000

/** Returns the id under which the new arguments of a call are stored: the same for the same arguments. */
export const argumentsIdOf = (args: Arguments): string =>
  `edit_${createHash("sha256").update(JSON.stringify(args)).digest("hex").slice(0, 40)}`

/**
 * Refuses new arguments that the tool of the call does not accept, as far as that is known here. Tools of MCP servers and of programs are asked by the
 * worker, which asks about the call again if they do not accept them.
 *
 * @throws AdjutantError `invalid_argument`
 */
const requireValid = (id: string, args: Arguments, { calls }: PauseRow): void => {
  const name = calls.find((call) => call.id === id)?.name ?? ""
  const parsed = Object.hasOwn(builtinInputSchemas, name) ? builtinInputSchemas[name]?.safeParse(args) : undefined
  if (parsed?.success === false)
    throw new AdjutantError(
      "invalid_argument",
      `the arguments for call ${id} do not fit ${name}: ${argumentProblem(parsed.error)}`,
    )
  if (JSON.stringify(args).length > maxCharacters)
    throw new AdjutantError(
      "payload_too_large",
      `the arguments for call ${id} have more than ${maxCharacters} characters`,
    )
}

/** Stores the new arguments of edited calls, and returns the decisions with references to them: no arguments enter the engine's history. */
export const storeEditedArguments = async (
  store: Pick<Store, "inbox">,
  pause: PauseRow,
  decisions: Readonly<Record<string, CallDecision>>,
): Promise<Record<string, SentDecision>> => {
  const sent: Record<string, SentDecision> = {}
  for (const [id, decision] of Object.entries(decisions)) {
    if (decision.action !== "edit") {
      sent[id] = decision
      continue
    }
    requireValid(id, decision.arguments, pause)
    const argumentsId = argumentsIdOf(decision.arguments)
    const text = JSON.stringify(decision.arguments)
    await store.inbox.put({ id: argumentsId, sessionId: pause.sessionId, source: "notice", text })
    sent[id] = { action: "edit", arguments_id: argumentsId }
  }
  return sent
}
