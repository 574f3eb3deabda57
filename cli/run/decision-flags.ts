import { wrongUsage } from "../program/wrong-usage.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import type { CallDecision, GeneralDecision } from "../../contracts/approval/decision.ts"

export interface DecisionFlags {
  readonly approve?: readonly string[]
  readonly reject?: readonly string[]
  readonly approveAll?: boolean
  readonly rejectAll?: boolean
  /** `<id>=<JSON object>`, with files already read. */
  readonly edit?: readonly string[]
  readonly reason?: string
}

export interface Decisions {
  readonly all?: GeneralDecision
  readonly decisions: Readonly<Record<string, CallDecision>>
}

/** Returns the new arguments of calls by id. */
const editsIn = (edits: readonly string[]): Readonly<Record<string, CallDecision>> =>
  Object.fromEntries(
    edits.map((edit) => {
      const at = edit.indexOf("=")
      const args = at < 1 ? undefined : parsedObject(edit.slice(at + 1))
      if (args === undefined)
        throw wrongUsage(`--edit requires <id>=<JSON object> or <id>=@<file>: got "${edit.slice(0, 60)}"`)
      return [edit.slice(0, at), { action: "edit", arguments: args }]
    }),
  )

const parsedObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

const contradictionIn = (flags: DecisionFlags, rejectsAny: boolean): string | undefined => {
  const both = flags.approve?.find((id) => flags.reject?.includes(id) === true)
  if (both !== undefined) return `--approve and --reject both name "${both}": name it once`
  if (flags.approveAll === true && flags.rejectAll === true)
    return "--approve-all and --reject-all exclude each other: use one of them"
  return flags.reason !== undefined && !rejectsAny
    ? "--reason is for rejected calls: add --reject or --reject-all"
    : undefined
}

const editContradiction = (flags: DecisionFlags, edits: Readonly<Record<string, CallDecision>>): string | undefined => {
  const twice = [...(flags.approve ?? []), ...(flags.reject ?? [])].find((id) => Object.hasOwn(edits, id))
  return twice === undefined ? undefined : `--edit and another option both name "${twice}": name it once`
}

/**
 * Returns the decisions that the flags express; undefined if there is none. The order is that of every channel: `--approve-all` without the rejected
 * ids, then `--reject-all` whatever else is named, then the named ids; calls that are not named are rejected. Throws `invalid_argument` if flags contradict each other.
 */
export const flaggedDecisions = (flags: DecisionFlags): Decisions | undefined => {
  const approve = flags.approve ?? []
  const reject = flags.reject ?? []
  const edits = editsIn(flags.edit ?? [])
  const isEditing = Object.keys(edits).length > 0
  const rejectsAll = flags.rejectAll === true
  const rejectsAny = reject.length > 0 || rejectsAll || ((approve.length > 0 || isEditing) && flags.approveAll !== true)
  const contradiction = contradictionIn(flags, rejectsAny) ?? editContradiction(flags, edits)
  if (contradiction !== undefined) throw wrongUsage(contradiction)
  if (!rejectsAny && flags.approveAll !== true) return undefined
  const rejection: GeneralDecision = {
    action: "reject",
    ...(flags.reason === undefined ? {} : { content: flags.reason }),
  }
  const approval: GeneralDecision = { action: "accept" }
  const named = Object.fromEntries([
    ...approve.map((id) => [id, rejectsAll ? rejection : approval] as const),
    ...reject.map((id) => [id, rejection] as const),
    ...Object.entries(edits),
  ])
  if (flags.approveAll === true) return { all: approval, decisions: named }
  // With a reason, calls that are not named are rejected with it as well.
  return rejectsAll || flags.reason !== undefined ? { all: rejection, decisions: named } : { decisions: named }
}
