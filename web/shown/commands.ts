import type { Session } from "../../contracts/session.ts"
import { resumeCommand } from "../../domain/approval/resume-command.ts"
import { isFinal } from "../../domain/run/is-final.ts"

/** Ids of calls come from models: only plain ones are put into a command that people paste into a shell. */
const isPlain = (id: string): boolean => /^[\w-]+$/.test(id)

/** Returns the command that does on a terminal what a person most likely wants to do next. */
export const commandFor = ({ id, status, checkpoint_id: checkpoint, pause_reason: pause }: Session): string => {
  if (pause === null || checkpoint === null) return isFinal(status) ? `adjutant log ${id}` : `adjutant wait ${id}`
  const calls = pause.pending_tool_calls ?? []
  if (pause.type === "input_required") return resumeCommand({ checkpointId: checkpoint, calls: [] })
  return calls.length > 0 && calls.every((call) => isPlain(call.id))
    ? resumeCommand({ checkpointId: checkpoint, calls })
    : `adjutant run -c ${checkpoint} --approve-all`
}
