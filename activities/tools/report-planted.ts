import { movedTo } from "../../domain/workspace/planted-paths.ts"
import type { PlantedPaths } from "../../tools/sandbox/sandbox.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

const maxPaths = 20

/** Reports protected files that a command created or changed, as an event of the session and in the log. */
export const createPlantedReport =
  (
    { streamed, logger, redact }: Pick<AgentDependencies, "streamed" | "logger" | "redact">,
    { sessionId, runId, callId }: Pick<RunToolInput, "sessionId" | "runId" | "callId">,
    name: string,
  ) =>
  ({ cwd, planted }: PlantedPaths): void => {
    logger.warn({ session: sessionId, call: callId, cwd, planted }, "a command created or changed protected files")
    const paths = planted.slice(0, maxPaths).map(({ path, state }) => ({ path: redact(path), state }))
    const undone = paths.filter(({ state }) => state !== "moved")
    const message =
      undone.length > 0
        ? `protected files were undone: ${undone.map(({ path }) => path).join(", ")}`
        : `the working directory was moved to ${redact(movedTo(planted) ?? "")}`
    const data = { call_id: callId, name, message, planted: paths }
    streamed.add(sessionId, { type: "tool-progressed", runId, data })
  }
