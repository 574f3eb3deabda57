import { shellQuote } from "./shell-quote.ts"

/** What a person can decide or answer at one checkpoint. */
export interface ResumablePause {
  readonly checkpointId: string
  /** Empty if the pause waits for a text. */
  readonly calls: readonly { readonly id: string }[]
}

const commandOf = (checkpointId: string): string => `adjutant run -c ${shellQuote(checkpointId)}`

/** Returns the command that resumes from a pause: it approves what is pending, or has a placeholder for the text. */
export const resumeCommand = ({ checkpointId, calls: [first, ...others] }: ResumablePause): string => {
  const command = commandOf(checkpointId)
  if (first === undefined) return `${command} "<your input>"`
  // After "=", an id that starts with a dash is not taken for an option.
  const approve = first.id.startsWith("-") ? `--approve=${shellQuote(first.id)}` : `--approve ${shellQuote(first.id)}`
  return others.length === 0 ? `${command} ${approve}` : `${command} --approve-all`
}

export const rejectCommand = (checkpointId: string): string => `${commandOf(checkpointId)} --reject-all`
