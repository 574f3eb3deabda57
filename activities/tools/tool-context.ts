import { realpath } from "node:fs/promises"
import { join } from "node:path"
import { callSignal } from "../running-calls.ts"
import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { scratchDirectory } from "../../domain/workspace/data-directory.ts"
import type { ToolContext, ToolProgress } from "../../tools/tool.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { createOutputTail } from "./output-tail.ts"
import { sandboxModeOf, sandboxWishOf } from "../../domain/approval/process-sandbox.ts"
import { toolDirectory } from "../../domain/workspace/tool-directory.ts"
import { movedTo } from "../../domain/workspace/planted-paths.ts"
import type { PlantedPaths } from "../../tools/sandbox/sandbox.ts"
import { heartbeat } from "@temporalio/activity"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const heartbeatEveryMs = 100
const eventEveryMs = 500
const maxMessage = 1_000
/** Longer than a message that is shown, so that no secret is cut in it. */
const maxRedacted = 10_000

/** Passes progress on as heartbeats, and as events no faster than people read, of which the last one remains. What comes faster is left out. */
const createProgress = (
  { streamed, redact }: Pick<AgentDependencies, "streamed" | "redact">,
  input: RunToolInput,
  name: string,
): NonNullable<ToolContext["progress"]> => {
  let heardAt = Number.NEGATIVE_INFINITY
  let shownAt = Number.NEGATIVE_INFINITY
  return ({ progress, total, message }: ToolProgress) => {
    const now = performance.now()
    if (now - heardAt < heartbeatEveryMs) return
    heardAt = now
    const said = message === undefined ? {} : { message: startOf(redact(startOf(message, maxRedacted)), maxMessage) }
    const update = { progress, ...(total === undefined ? {} : { total }), ...said }
    heartbeat(update)
    if (now - shownAt < eventEveryMs) return
    shownAt = now
    const data = { call_id: input.callId, name, seq: input.resultSeq, ...update }
    streamed.add(input.sessionId, { type: "tool-progressed", runId: input.runId, data })
  }
}

const maxPaths = 20

/** Reports protected files that a command created or changed, as an event of the session and in the log. */
const createPlantedReport =
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

/** Returns the context of a tool in a run. */
export const toolContext = async (
  deps: AgentDependencies,
  input: RunToolInput,
  call: { readonly snapshot: RunSnapshot; readonly name: string; readonly arguments?: ToolCall["arguments"] },
): Promise<ToolContext> => {
  const { snapshot } = call
  const wish = sandboxWishOf(call.name, call.arguments)
  const progress = createProgress(deps, input, call.name)
  const dataDir = await realpath(deps.dataDir).catch(() => deps.dataDir)
  return {
    sessionId: input.sessionId,
    cwd: toolDirectory(snapshot),
    spillDir: join(dataDir, "spill", input.sessionId),
    ...(snapshot.taskSandbox === true ? { scratchDir: scratchDirectory(dataDir, input.sessionId) } : {}),
    dataDir,
    namedFiles: deps.namedFiles(snapshot),
    mayChangeProtected: input.mayChangeProtected === true,
    onPlanted: createPlantedReport(deps, input, call.name),
    ...(snapshot.skills === undefined ? {} : { skills: snapshot.skills }),
    env: deps.toolEnv(snapshot.envAllow),
    sandbox: await deps.sandboxFor(sandboxModeOf(call.name, snapshot, wish), snapshot.timing.killGraceMs),
    ...(wish?.kind === "network" ? { network: wish.hosts } : {}),
    webHosts: deps.webHosts,
    bashTimeouts: { defaultMs: snapshot.timing.bashTimeoutMs, maxMs: snapshot.timing.bashMaxTimeoutMs },
    signal: callSignal(),
    seenContent: (path) => deps.store.touchedFiles.seen(input.sessionId, path),
    isDecided: input.isUnasked !== true,
    metadata: async () => (await deps.store.sessions.get(input.sessionId))?.metadata ?? {},
    todos: {
      read: () => deps.store.todos.read(input.sessionId),
      write: (todos) => deps.store.todos.write(input.sessionId, todos),
    },
    progress,
    output: createOutputTail(progress, deps.redact),
  }
}
