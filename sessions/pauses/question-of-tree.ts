import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { resumingShellCommand } from "../../domain/approval/resume-command.ts"
import type { PauseRow, Store } from "../../store/store.ts"
import { staleCheckpoint } from "../../domain/caller/missing-targets.ts"
import { findTreePause } from "./tree-pause.ts"

/**
 * Returns the only question that a checkpoint of a tree showed.
 * @throws AdjutantError `checkpoint_stale`; `invalid_argument` if it showed none, or several
 */
export const questionOfTree = async (
  store: Pick<Store, "sessions" | "pauses">,
  { sessionId, checkpointId = "" }: { readonly sessionId: string; readonly checkpointId?: string | undefined },
): Promise<PauseRow> => {
  const tree = await findTreePause(store, checkpointId)
  if (tree?.sessionId !== sessionId) throw staleCheckpoint(checkpointId, sessionId)
  const [question, ...others] = tree.pauses.filter(({ type }) => type === "input_required")
  if (question !== undefined && others.length === 0) return question
  throw new AdjutantError(
    "invalid_argument",
    question === undefined
      ? `checkpoint ${checkpointId} waits for decisions on calls, not for a text: approve or reject them`
      : `checkpoint ${checkpointId} has several questions, of ${[question, ...others].map((each) => each.sessionId).join(", ")}: answer each at its own checkpoint, such as ${resumingShellCommand({ checkpointId: question.checkpointId, calls: [] })}`,
  )
}
