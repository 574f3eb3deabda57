import { realpath } from "node:fs/promises"
import { join } from "node:path"
import { callSignal } from "../running-calls.ts"
import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { scratchDirectory } from "../../domain/workspace/data-directory.ts"
import type { ToolContext } from "../../tools/tool.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { createOutputTail } from "./output-tail.ts"
import { createPlantedReport } from "./report-planted.ts"
import { createProgress } from "./tool-progress.ts"
import { sandboxModeOf, sandboxWishOf } from "../../domain/approval/process-sandbox.ts"
import { toolDirectory } from "../../domain/workspace/tool-directory.ts"

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
