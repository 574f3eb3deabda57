import type { Session } from "../../contracts/session.ts"
import { resumeCommand } from "../../domain/approval/resume-command.ts"
import { isFinal } from "../../domain/run/is-final.ts"

/** Ids of calls come from models: only plain ones are put into a command that people paste into a shell. */
const isPlain = (id: string): boolean => /^[\w][\w.:-]*$/.test(id)

/**
 * Returns the command that does on a terminal what a person most likely wants to do next. Where the page does not know what exactly it would approve,
 * the command shows what is pending instead.
 */
export const commandFor = ({ id, status, checkpoint_id: checkpoint, pause_reason: pause }: Session): string => {
  if (pause === null || checkpoint === null) return isFinal(status) ? `adjutant log ${id}` : `adjutant wait ${id}`
  if (pause.type === "input_required") return resumeCommand({ checkpointId: checkpoint, calls: [] })
  const calls = pause.pending_tool_calls ?? []
  return calls.length > 0 && calls.every((call) => isPlain(call.id))
    ? resumeCommand({ checkpointId: checkpoint, calls })
    : `adjutant info ${id}`
}
