import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import { visible } from "../text/visible.ts"
import { shellQuote } from "../text/shell-quote.ts"

/** What a person can decide or answer at one checkpoint. */
export interface ResumablePause {
  readonly checkpointId: string
  /** Empty if the pause waits for a text. */
  readonly calls: readonly Pick<PendingToolCall, "id" | "protected">[]
}

/** Returns the tools of pending calls for people, each once: `Write, Bash`. */
export const pendingToolNames = (calls: readonly Pick<PendingToolCall, "name">[]): string =>
  [...new Set(calls.map(({ name }) => visible(name)))].join(", ")

const resumeLine = (checkpointId: string): string => `adjutant run -c ${shellQuote(checkpointId)}`

/** After "=", an id that starts with a dash is not taken for an option. */
const approveOption = (id: string): string =>
  id.startsWith("-") ? `--approve=${shellQuote(id)}` : `--approve ${shellQuote(id)}`

/** Returns the options that approve all calls, with the ids of those that an approval of all calls does not include. */
export const approveAllOptions = (named: readonly { readonly id: string }[]): string =>
  ["--approve-all", ...named.map(({ id }) => approveOption(id))].join(" ")

/** Returns the command that resumes from a pause: it approves what is pending, or has a placeholder for the text. */
export const resumingShellCommand = ({ checkpointId, calls }: ResumablePause): string => {
  const command = resumeLine(checkpointId)
  const [first, ...others] = calls
  if (first === undefined) return `${command} "<your input>"`
  if (others.length === 0) return `${command} ${approveOption(first.id)}`
  return `${command} ${approveAllOptions(calls.filter((call) => call.protected === true))}`
}

export const rejectCommand = (checkpointId: string): string => `${resumeLine(checkpointId)} --reject-all`
