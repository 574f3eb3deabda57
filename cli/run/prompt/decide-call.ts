import type { CallDecision } from "../../../contracts/approval/decision.ts"
import type { CallPreview } from "../../../contracts/approval/call-preview.ts"
import type { PendingToolCall } from "../../../contracts/approval/pause.ts"
import { errorMessage } from "../../../domain/text/error-message.ts"
import { assertNever } from "../../../domain/assert-never.ts"
import type { CliContext } from "../../program/cli-context.ts"
import { editorCommand, isNotStarted, pagerCommand, type Person } from "../../terminal/person.ts"
import { editArguments } from "./edit-arguments.ts"
import { isLong, showCall, type ShownCall } from "./shown-call.ts"

/** What a person can answer about a pending call. */
const choices = ["approve", "reject", "edit", "diff", "later"] as const
type Choice = (typeof choices)[number]

/** The question, with the key of each choice in brackets. */
const choiceQuestion = choices.map((choice) => `[${choice[0]}]${choice.slice(1)}`).join(" ")

/** Returns the choice of a typed line: its key or the whole word. Undefined for anything else: nothing is decided by accident. */
export const choiceOf = (line: string): Choice | undefined => {
  const typed = line.trim().toLowerCase()
  return choices.find((choice) => typed === choice || typed === choice[0])
}

/** What the prompt needs of the command. */
export type PromptContext = Pick<CliContext, "io" | "env"> & { readonly person: Person }

const defaultRows = 24

/** A call that a person is asked about. */
interface AskedCall {
  readonly call: PendingToolCall
  /** Reads the preview of which the call shows the beginning. */
  readonly readWhole: () => Promise<CallPreview>
}

/** Returns the call with all of its preview; what it shows already, and why, if that cannot be read. */
const wholeCall = async ({ io }: PromptContext, { call, readWhole }: AskedCall): Promise<PendingToolCall> => {
  if (call.preview.is_cut !== true) return call
  try {
    return { ...call, preview: await readWhole() }
  } catch (error) {
    io.stderr.write(`adjutant: only the beginning can be shown: ${errorMessage(error)}\n`)
    return call
  }
}

const rowsOf = ({ io }: PromptContext): number => io.stdout.rows || defaultRows

const textsOf = (context: PromptContext, call: PendingToolCall): ShownCall =>
  showCall(call, rowsOf(context), context.io.paint.stdout)

/** Shows a call whole: in the pager if it is longer than the screen and the pager starts. */
const showWhole = async (context: PromptContext, asked: AskedCall): Promise<void> => {
  const { io, env, person } = context
  const { whole } = textsOf(context, await wholeCall(context, asked))
  const text = `${whole.join("\n")}\n`
  const pager = isLong(whole, rowsOf(context)) ? pagerCommand(env) : undefined
  const code = pager === undefined ? null : await person.run({ command: pager, input: text })
  if (code === null || isNotStarted(code)) io.stdout.write(text)
}

const rejection = async ({ person }: PromptContext): Promise<CallDecision | "later"> => {
  const reason = await person.ask("Reason, which the model is told (empty: none): ")
  if (reason === undefined) return "later"
  return reason.trim() === "" ? { action: "reject" } : { action: "reject", content: reason.trim() }
}

const edit = async ({ io, env, person }: PromptContext, call: PendingToolCall): Promise<CallDecision | undefined> => {
  const editor = editorCommand(env)
  const edited =
    editor === undefined ? { problem: "set EDITOR to your editor" } : await editArguments(person, editor, call)
  if ("arguments" in edited) return { action: "edit", arguments: edited.arguments }
  io.stderr.write(`Nothing was edited: ${edited.problem}.\n`)
  return undefined
}

/** Returns the decision of a choice; undefined if the question is asked again. */
const decisionOf = async (
  context: PromptContext,
  choice: Choice,
  asked: AskedCall,
): Promise<CallDecision | "later" | undefined> => {
  switch (choice) {
    case "later":
      return "later"
    case "approve":
      return { action: "accept" }
    case "reject":
      return await rejection(context)
    case "edit":
      return await edit(context, asked.call)
    case "diff":
      await showWhole(context, asked)
      return undefined
    default:
      return assertNever(choice)
  }
}

/** Shows a pending call and asks until it is decided. Returns undefined for "later", and if the input ends. */
export const decideCall = async (
  context: PromptContext,
  asked: AskedCall,
  position: string,
): Promise<CallDecision | undefined> => {
  const { io, person } = context
  await person.discardTyped()
  io.stdout.write(`\n${textsOf(context, asked.call).shown.join("\n")}\n\n`)
  for (;;) {
    const line = await person.ask(`${io.paint.stderr.bold(`${position}${choiceQuestion}`)} > `)
    if (line === undefined) return undefined
    const choice = choiceOf(line)
    const decision = choice === undefined ? undefined : await decisionOf(context, choice, asked)
    if (decision === "later") return undefined
    if (decision !== undefined) return decision
  }
}
