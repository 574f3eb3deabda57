import { ApplicationFailure } from "@temporalio/activity"
import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isRefusedUnconfined, isRefusedUnnamed, leftOutText } from "../../domain/approval/tool-verdicts.ts"
import { mustBeConfined } from "../../domain/approval/process-sandbox.ts"
import { withRunCache } from "../../domain/limits/provider/hour-cache.ts"
import { delegationGuidance } from "../../domain/prompts/delegation-guidance.ts"
import { resultGuidance } from "../../domain/prompts/result-guidance.ts"
import { surroundingsBlock } from "../../domain/prompts/surroundings.ts"
import { skillsGuidance } from "../../domain/notes/skill.ts"
import type { ToolSpec } from "../../models/model-provider.ts"
import type { SessionRow } from "../../store/store.ts"
import type { Tool } from "../../tools/tool.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { confinementOf } from "../approval/call-facts.ts"
import type { RunScope } from "../contract/run-scope.ts"
import { storedSurroundings } from "../run/session-surroundings.ts"
import { delegationOf, offeredDelegation } from "./offer/offered-delegation.ts"
import { fixedTools } from "./offer/fixed-tools.ts"
import { toolSpec } from "./offer/tool-spec.ts"
import { closingSpecs, offeredTools } from "./offer/offered-tools.ts"
import { reportChangedTools, reportMissingTools } from "./offer/report-server-tools.ts"

/** What a prompt depends on of its session. It stays the same once the first run has begun. */
export type PromptSession = Pick<SessionRow, "depth" | "internal">

/** The prefix of every prompt of a run. */
export interface ModelPrompt {
  readonly systemPrompt: string
  readonly tools: readonly ToolSpec[]
}

/** Returns the prefix that a provider caches: the same for every step of a run. `tools` are the run's ordinary tools in its list. */
export const modelPrompt = (snapshot: RunSnapshot, tools: readonly ToolSpec[], session: PromptSession): ModelPrompt => {
  const { outputSchema } = snapshot
  const delegation = offeredDelegation(snapshot, session.depth)
  const surroundings = snapshot.showsSurroundings === true ? storedSurroundings(session) : undefined
  const skills = skillsGuidance(snapshot)
  return {
    systemPrompt: [
      snapshot.systemPrompt,
      ...(outputSchema === undefined ? [] : [resultGuidance(outputSchema)]),
      ...(skills === undefined ? [] : [skills]),
      ...(delegation.length === 0 ? [] : [delegationGuidance]),
      ...(surroundings === undefined ? [] : [surroundingsBlock(surroundings)]),
    ].join("\n\n"),
    tools: [...tools, ...closingSpecs(snapshot), ...delegation],
  }
}

/** Leaves out the tools whose calls would be refused, because the run asks nobody, and no sandbox works or no host is named that they could reach. */
const withoutLeftOut = async (
  deps: Pick<AgentDependencies, "sandboxFor" | "webHosts">,
  snapshot: RunSnapshot,
  all: readonly Tool[],
): Promise<{ readonly tools: readonly Tool[]; readonly leftOut?: string }> => {
  const tools = all.filter((tool) => !isRefusedUnnamed(tool, snapshot, deps.webHosts))
  const isRefused = (tool: Tool) => isRefusedUnconfined(tool, snapshot)
  if (!tools.some(isRefused)) return { tools }
  const { confined, reason } = await confinementOf(deps, snapshot, { name: "Bash" })
  if (confined) return { tools }
  return { tools: tools.filter((tool) => !isRefused(tool)), leftOut: leftOutText(reason, mustBeConfined(snapshot)) }
}

/** The prefix of a run's prompt, and all tools that the model can call, by which its arguments are read. */
export interface RunPrompt extends ModelPrompt {
  readonly callable: readonly ToolSpec[]
  /** Says that a tool of the run is left out, because no sandbox works. */
  readonly leftOut?: string | undefined
}

/** Returns the prefix of a run's prompt on this worker. The session is read only if it matters and the caller has not read it. */
export const promptOf = async (
  deps: AgentDependencies,
  input: RunScope,
  { snapshot, session: known }: { readonly snapshot: RunSnapshot; readonly session?: PromptSession | undefined },
): Promise<RunPrompt> => {
  const offered = await offeredTools(deps, snapshot)
  await reportChangedTools(deps, input, offered.changed)
  await reportMissingTools(deps, input, offered)
  const { tools, leftOut } = await withoutLeftOut(deps, snapshot, offered.own)
  const own = tools.map(toolSpec)
  const isNeeded = snapshot.showsSurroundings === true || delegationOf(snapshot).length > 0
  const read = isNeeded ? (known ?? (await deps.store.sessions.get(input.sessionId))) : undefined
  const session = read ?? { depth: 0, internal: {} }
  const others = own.length + closingSpecs(snapshot).length + offeredDelegation(snapshot, session.depth).length
  const served = await fixedTools(deps, input, { snapshot, offered, others })
  const prompt = modelPrompt(snapshot, [...own, ...served], session)
  return { ...prompt, callable: [...prompt.tools, ...offered.served.map(toolSpec)], leftOut }
}

/** Returns a model as the run uses it. Throws `model_not_found`. */
export const modelSpecOf = (snapshot: RunSnapshot, name: string): ModelSpec => {
  const spec = snapshot.models[name]
  if (spec === undefined)
    throw ApplicationFailure.nonRetryable(
      `model ${name} is not configured; configured: ${Object.keys(snapshot.models).join(", ")}`,
      "model_not_found",
    )
  return withRunCache(spec, snapshot)
}
