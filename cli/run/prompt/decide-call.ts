import type { CallDecision } from "../../../contracts/approval/decision.ts"
import type { CallPreview } from "../../../contracts/approval/call-preview.ts"
import type { PendingToolCall } from "../../../contracts/approval/pause.ts"
import { grantWords, suggestedSeconds, suggestGrant } from "../../../domain/advice/suggest-grant.ts"
import type { GrantTerms } from "../../../domain/approval/grant-terms.ts"
import { errorMessage } from "../../../domain/text/error-message.ts"
import { assertNever } from "../../../domain/assert-never.ts"
import type { CliContext } from "../../program/cli-context.ts"
import { editorCommand, type Person } from "../../terminal/person.ts"
import { rowsOf, writePaged } from "../../terminal/write-paged.ts"
import { decidedText, oneLine } from "../../terminal/plain-text.ts"
import { editArguments } from "./edit-arguments.ts"
import type { Paint } from "../../terminal/paint.ts"
import { pendingCallLines } from "../../text/approval-text.ts"

/** What a person can answer about a pending call. */
const choices = ["approve", "reject", "edit", "diff", "later"] as const
/** What is typed as a whole word: none of these is a slip of one key. */
const words = ["all", "always", "back"] as const
type Choice = (typeof choices)[number] | (typeof words)[number]

/** The question, with the key of each choice in brackets. */
const choiceQuestion = `${choices.map((choice) => `[${choice[0]}]${choice.slice(1)}`).join(" ")} [?]`

/** Returns the choice of a typed line: its key or the whole word. Undefined for anything else: nothing is decided by accident. */
export const choiceOf = (line: string): Choice | undefined => {
  const typed = line.trim().toLowerCase()
  return choices.find((choice) => typed === choice || typed === choice[0]) ?? words.find((word) => typed === word)
}

/** What a person answers about one call of a pause. */
export type PromptAnswer =
  | { readonly kind: "decided"; readonly decision: CallDecision; readonly grant?: GrantTerms }
  | { readonly kind: "all" | "back" | "later" }

const decided = (decision: CallDecision): PromptAnswer => ({ kind: "decided", decision })

/** Returns a line for each answer. */
const helpLines = ({ call, isOnly }: AskedCall): readonly string[] => {
  const grant = suggestGrant(call)
  return [
    "a       approve this call",
    "r       reject it, with a reason for the model",
    "e       edit it, then approve it",
    "d       show all of it",
    "l       decide later: nothing is sent",
    ...(grant === undefined ? [] : [`always  approve it, and ${alwaysText(grant)}`]),
    ...(isOnly ? [] : ["all     approve it and the rest, except calls that change protected files"]),
    ...(isOnly ? [] : ["back    go back to the call before"]),
  ]
}

const alwaysText = (grant: GrantTerms): string =>
  `let ${oneLine(decidedText(grantWords(grant)), 200)} run without a decision for ${suggestedSeconds / 3_600} hours`

/** Lines of the screen that stay free for the question and what is above the call. */
const spareRows = 8
const leastRows = 10

interface ShownCall {
  /** Whole, for the pager. */
  readonly whole: readonly string[]
  /** As many lines as fit on the screen. */
  readonly shown: readonly string[]
}

/** Returns whether the lines of a call leave no room on the screen for the question. */
const isLong = (lines: readonly string[], rows: number): boolean => lines.length > mostLines(rows)

const mostLines = (rows: number): number => Math.max(leastRows, rows - spareRows)

/** Returns a call as the prompt shows it. If the screen or the pause has only the beginning of its preview, the last line names the key that shows the rest. */
const showCall = (call: PendingToolCall, rows: number, paint: Paint): ShownCall => {
  const owner = call.task_id === undefined ? "" : `, task ${call.task_id}`
  const whole = pendingCallLines(call, owner, paint)
  const isCut = call.preview.is_cut === true
  if (!isLong(whole, rows)) return { whole, shown: isCut ? [...whole, paint.dim("  d shows all of it")] : whole }
  const most = mostLines(rows)
  const rest = isCut ? "more: d shows all of it" : `${whole.length - most} more lines: d shows them all`
  return { whole, shown: [...whole.slice(0, most), paint.dim(`  … ${rest}`)] }
}

/** What the prompt needs of the command. */
export type PromptContext = Pick<CliContext, "io" | "env"> & { readonly person: Person }

/** A call that a person is asked about. */
interface AskedCall {
  readonly call: PendingToolCall
  /** Reads the preview of which the call shows the beginning. */
  readonly readWhole: () => Promise<CallPreview>
  /** Whether no other call is asked about. */
  readonly isOnly: boolean
}

/** Returns the call with its whole preview. If that cannot be read, says why and returns the call as it is. */
const withWholePreview = async (
  { io }: PromptContext,
  { call, readWhole }: Pick<AskedCall, "call" | "readWhole">,
): Promise<PendingToolCall> => {
  if (call.preview.is_cut !== true) return call
  try {
    return { ...call, preview: await readWhole() }
  } catch (error) {
    io.stderr.write(`adjutant: only the beginning can be shown: ${errorMessage(error)}\n`)
    return call
  }
}

const shownCall = (context: PromptContext, call: PendingToolCall): ShownCall =>
  showCall(call, rowsOf(context), context.io.paint.stdout)

/** Shows a call whole: in the pager if it is longer than the screen and the pager starts. */
const showWhole = async (context: PromptContext, asked: AskedCall): Promise<void> => {
  const { whole } = shownCall(context, await withWholePreview(context, asked))
  await writePaged(context, `${whole.join("\n")}\n`, isLong(whole, rowsOf(context)))
}

const rejection = async ({ person }: PromptContext): Promise<PromptAnswer> => {
  const reason = await person.ask("Reason, which the model is told (empty: none): ")
  if (reason === undefined) return { kind: "later" }
  return decided(reason.trim() === "" ? { action: "reject" } : { action: "reject", content: reason.trim() })
}

const edit = async ({ io, env, person }: PromptContext, call: PendingToolCall): Promise<PromptAnswer | undefined> => {
  const editor = editorCommand(env)
  const edited =
    editor === undefined ? { problem: "set EDITOR to your editor" } : await editArguments(person, editor, call)
  if ("arguments" in edited) return decided({ action: "edit", arguments: edited.arguments })
  io.stderr.write(`Nothing was edited: ${edited.problem}.\n`)
  return undefined
}

/** Approves a call with a grant for those like it, if the person confirms what the grant covers. */
const always = async ({ io, person }: PromptContext, call: PendingToolCall): Promise<PromptAnswer | undefined> => {
  const grant = suggestGrant(call)
  if (grant === undefined) {
    io.stderr.write("No grant can cover this call: approve it by itself.\n")
    return undefined
  }
  const answer = await person.ask(`Approve, and ${alwaysText(grant)}? [y]es [n]o > `)
  return /^\s*y(es)?\s*$/i.test(answer ?? "") ? { kind: "decided", decision: { action: "accept" }, grant } : undefined
}

/** Returns the answer of a choice; undefined if the question is asked again. */
const answerToChoice = async (
  context: PromptContext,
  choice: Choice,
  asked: AskedCall,
): Promise<PromptAnswer | undefined> => {
  switch (choice) {
    case "later":
    case "back":
      return { kind: choice }
    case "all":
      if (asked.call.protected !== true) return { kind: choice }
      context.io.stderr.write("This call changes protected files: decide it by itself.\n")
      return undefined
    case "approve":
      return decided({ action: "accept" })
    case "reject":
      return await rejection(context)
    case "edit":
      return await edit(context, asked.call)
    case "always":
      return await always(context, asked.call)
    case "diff":
      await showWhole(context, asked)
      return undefined
    default:
      return assertNever(choice)
  }
}

/** Shows a pending call and asks until it is answered. The end of the input is "later". */
export const decideCall = async (context: PromptContext, asked: AskedCall, position: string): Promise<PromptAnswer> => {
  const { io, person } = context
  await person.discardTyped()
  io.stdout.write(`\n${shownCall(context, asked.call).shown.join("\n")}\n\n`)
  for (;;) {
    const line = await person.ask(`${io.paint.stderr.bold(`${position}${choiceQuestion}`)} > `)
    if (line === undefined) return { kind: "later" }
    const choice = choiceOf(line)
    if (choice === undefined) io.stderr.write(`${helpLines(asked).join("\n")}\n`)
    const answer = choice === undefined ? undefined : await answerToChoice(context, choice, asked)
    if (answer !== undefined) return answer
  }
}
