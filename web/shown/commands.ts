import type { Session } from "../../contracts/session.ts"
import { isFinal } from "../../domain/run/is-final.ts"

/** Ids of calls come from models: only plain ones are put into a command that people paste into a shell. */
const isPlain = (id: string): boolean => /^[\w-]+$/.test(id)

/** Returns the command that does on a terminal what a person most likely wants to do next. */
export const commandFor = ({ id, status, checkpoint_id: checkpoint, pause_reason: pause }: Session): string => {
  if (pause === null || checkpoint === null) return isFinal(status) ? `adjutant log ${id}` : `adjutant wait ${id}`
  if (pause.type === "input_required") return `adjutant run -c ${checkpoint} "<your input>"`
  const [only, ...others] = pause.pending_tool_calls ?? []
  const isOne = only !== undefined && others.length === 0 && isPlain(only.id)
  return `adjutant run -c ${checkpoint} ${isOne ? `--approve ${only.id}` : "--approve-all"}`
}
