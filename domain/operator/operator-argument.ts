import type { Decide, GeneralDecision, SentDecision } from "../../contracts/approval/decision.ts"
import type { RunApproval } from "../approval/narrow-approval.ts"
import type { RunReference, SessionMessage } from "../session/session-message.ts"
import { type Checked, failed, passed } from "../checked.ts"
import { isRecord } from "../text/is-record.ts"
import { withoutUndefined } from "../without-undefined.ts"

const isTextUpTo = (value: unknown, max: number): value is string => typeof value === "string" && value.length <= max

const maxTextChars = 65_536
const maxNoteChars = 2_000

/** `"all"`, one id, or a list of ids. */
export type CallSelection = "all" | readonly string[]

export const checkApprove = (value: unknown): Checked<CallSelection> => {
  if (value === "all") return passed("all")
  if (isTextUpTo(value, 200) && value !== "") return passed([value])
  if (Array.isArray(value) && value.length > 0 && value.every((id) => isTextUpTo(id, 200) && id !== ""))
    return passed(value.map(String))
  return failed('expected "all", a call id, or a list of call ids')
}

/** Checks the argument of `reject`: the same as for `approve`, or `{ids, reason}`. */
export const checkReject = (
  value: unknown,
): Checked<{ readonly ids: CallSelection; readonly reason: string | undefined }> => {
  const selection = checkApprove(isRecord(value) ? (value["ids"] ?? "all") : value)
  if (!selection.ok) return failed(`${selection.problem}, or {ids, reason}`)
  const reason = isRecord(value) ? value["reason"] : undefined
  if (reason !== undefined && !isTextUpTo(reason, maxTextChars))
    return failed("reason must be a string of at most 64 KB")
  return passed({ ids: selection.value, reason })
}

export const checkText = (value: unknown): Checked<string> =>
  isTextUpTo(value, maxTextChars) && value.trim() !== ""
    ? passed(value)
    : failed("expected a string of 1 to 65,536 characters")

const editFields = new Set(["action", "arguments", "arguments_id"])

const checkEdit = (value: Readonly<Record<string, unknown>>): Checked<SentDecision> => {
  const { arguments: args, arguments_id: id } = value
  const unknown = Object.keys(value).find((key) => !editFields.has(key))
  if (unknown !== undefined) return failed(`unknown field ${unknown}`)
  if (args === undefined && isTextUpTo(id, 200) && id !== "") return passed({ action: "edit", arguments_id: id })
  if (id !== undefined || !isRecord(args))
    return failed("edit requires arguments: an object with all arguments of the call")
  return JSON.stringify(args).length <= maxTextChars
    ? passed({ action: "edit", arguments: args })
    : failed("arguments must have at most 64 KB")
}

const checkCallDecision = (value: unknown): Checked<SentDecision> =>
  isRecord(value) && value["action"] === "edit" ? checkEdit(value) : checkGeneralDecision(value)

const checkGeneralDecision = (value: unknown): Checked<GeneralDecision> => {
  if (!isRecord(value)) return failed("expected {action}")
  const { action, content, ...rest } = value
  if (Object.keys(rest).length > 0) return failed(`unknown field ${Object.keys(rest)[0]}`)
  if (content !== undefined && !isTextUpTo(content, maxTextChars))
    return failed("content must be a string of at most 64 KB")
  if (action === "accept" && content !== undefined)
    return content.length <= maxNoteChars
      ? passed({ action, content })
      : failed("the note of accept must be at most 2,000 characters")
  if (action === "accept") return passed({ action })
  if (action === "reject") return passed(content === undefined ? { action } : { action, content })
  if (action === "custom_result")
    return content === undefined ? failed("custom_result requires content") : passed({ action, content })
  return failed("action must be accept, reject, edit or custom_result")
}

const signatureProblem = "signature must be a string of at most 200 characters"
const approvalProblem = "approval must be policy, all or a list of tools"

const decideFields = new Set([
  "decision_id",
  "run_id",
  "checkpoint_id",
  "decisions",
  "unlisted",
  "all",
  "by",
  "via",
  "approval",
  "signature",
])

const checkDecisions = (value: unknown): Checked<Record<string, SentDecision>> => {
  if (!isRecord(value)) return failed("decisions must be an object with call ids as keys")
  const decisions: Record<string, SentDecision> = {}
  for (const [id, raw] of Object.entries(value)) {
    const decision = checkCallDecision(raw)
    if (!decision.ok) return failed(`decisions.${id}: ${decision.problem}`)
    decisions[id] = decision.value
  }
  return passed(decisions)
}

const optionalText = (value: unknown, max: number): value is string | undefined =>
  value === undefined || isTextUpTo(value, max)

/** Checks the full payload of `decide`. */
export const checkDecide = (value: unknown): Checked<Decide> => {
  if (!isRecord(value)) return failed("expected an object")
  const unknown = Object.keys(value).find((key) => !decideFields.has(key))
  if (unknown !== undefined) return failed(`unknown field ${unknown}`)
  const { decision_id, run_id, checkpoint_id, unlisted = "pending", all, by, via, approval, signature } = value
  if (!isTextUpTo(decision_id, 200) || decision_id === "") return failed("decision_id must be a non-empty string")
  if (!optionalText(run_id, 1_000) || !optionalText(checkpoint_id, 1_000))
    return failed("run_id and checkpoint_id must be strings")
  if (!optionalText(by, 200) || !optionalText(via, 50)) return failed("by and via must be short strings")
  if (!optionalText(signature, 200)) return failed(signatureProblem)
  if (approval !== undefined && !isApproval(approval)) return failed(approvalProblem)
  if (unlisted !== "pending" && unlisted !== "reject") return failed("unlisted must be pending or reject")
  const decisions = checkDecisions(value["decisions"])
  if (!decisions.ok) return decisions
  const forAll = all === undefined ? undefined : checkGeneralDecision(all)
  if (forAll !== undefined && !forAll.ok) return failed(`all: ${forAll.problem}`)
  return passed({
    decision_id,
    decisions: decisions.value,
    unlisted,
    ...withoutUndefined({ run_id, checkpoint_id, all: forAll?.value, by, via, approval, signature }),
  })
}

const messageTypes = new Set<unknown>(["message", "follow_up", "steering"])
const messageSources = new Set<unknown>(["instruction", "follow_up", "input", "steering", "announce", "notice"])

export const isMessageType = (value: unknown): value is SessionMessage["type"] => messageTypes.has(value)

const isMessageSource = (value: unknown): value is SessionMessage["source"] => messageSources.has(value)

const isRunReference = (value: unknown): value is RunReference =>
  isRecord(value) && isTextUpTo(value["run_id"], 1_000) && isTextUpTo(value["snapshot_hash"], 200)

const runReference = ({ run_id, snapshot_hash }: RunReference): RunReference => ({ run_id, snapshot_hash })

const isBudget = (value: unknown): value is NonNullable<SessionMessage["budget"]> =>
  isRecord(value) && isBudgetNumber(value["micro_usd"]) && isBudgetNumber(value["tokens"])

const maxApprovedTools = 500

/** Returns whether a value is an approval: `policy`, `all` or a list of tool names. */
export const isApproval = (value: unknown): value is RunApproval =>
  value === "policy" ||
  value === "all" ||
  (Array.isArray(value) && value.length <= maxApprovedTools && value.every((name) => isTextUpTo(name, 200)))

/** Checks the shape of a `SessionMessage` from a program; its text is in the store. */
export const checkMessage = (value: unknown): Checked<SessionMessage> => {
  if (!isRecord(value)) return failed("expected an object")
  const { id, type, source, run_id, checkpoint_id, new_run, after_run, in_thread, approval, budget, signature } = value
  if (!isTextUpTo(id, 200) || id === "") return failed("id must be a non-empty string")
  if (!isMessageType(type)) return failed("type must be message, follow_up or steering")
  if (!isMessageSource(source)) return failed(`source must be one of ${[...messageSources].join(", ")}`)
  if (!optionalText(run_id, 1_000) || !optionalText(checkpoint_id, 1_000) || !optionalText(after_run, 1_000))
    return failed("run_id, checkpoint_id and after_run must be strings")
  if (new_run !== undefined && !isRunReference(new_run)) return failed("new_run must be {run_id, snapshot_hash}")
  if (approval !== undefined && !isApproval(approval)) return failed(approvalProblem)
  if (budget !== undefined && !isBudget(budget)) return failed("budget must be {micro_usd, tokens}")
  if (!optionalText(signature, 200)) return failed(signatureProblem)
  return passed({
    id,
    type,
    source,
    ...withoutUndefined({
      run_id,
      checkpoint_id,
      new_run: new_run === undefined ? undefined : runReference(new_run),
      after_run,
      in_thread: in_thread === true ? (true as const) : undefined,
      approval,
      budget: budget === undefined ? undefined : { micro_usd: budget.micro_usd, tokens: budget.tokens },
      signature,
    }),
  })
}

const isBudgetNumber = (value: unknown): boolean =>
  value === null || (typeof value === "number" && Number.isInteger(value) && value >= 0)
