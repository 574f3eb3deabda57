import { expect } from "vitest"
import { readingToolNames, webFetchName } from "../../../domain/tools/tool-names.ts"
import type { RecordedRequest } from "../../helpers/providers/fake-provider-server.ts"
import { readWireMessages } from "../../helpers/providers/chat-model.ts"
import { type ProfileName, type ProfilesProject, subagentSeconds } from "./profiles-project.ts"

/** A way to start a session of a profile. `kind`: whether the session is a sub-agent, to which the defaults for sub-agents apply. */
export interface Way {
  readonly kind: "session" | "sub-agent"
  /** The profiles whose sessions are started in this way. */
  readonly profiles: readonly ProfileName[]
  /** The steps that a session gets whose profile names none. */
  readonly maxSteps?: number
  /** Such a run reads no page of a host that the configuration does not name, and is not offered the tool. */
  readonly asksNobody?: true
  /** Starts a session with the instruction, and returns its id. */
  start(project: ProfilesProject, profile: ProfileName, task: string): Promise<string>
}

interface Expected {
  readonly key?: string
  readonly model?: string
  readonly thinking?: string
  readonly limits?: Readonly<Record<string, number | null>>
  readonly tools?: readonly string[]
}

const reading = readingToolNames.toSorted()
const limits = { max_steps: 7, timeout_seconds: 60, budget_usd: 0.5, budget_tokens: 90_000 }

/** What each profile sets, apart from the defaults. */
export const expected: Readonly<Record<ProfileName, Expected>> = {
  isolated: { key: "key-of-the-profile" },
  fallback: {},
  limited: { limits, tools: ["Read"] },
  thinker: { model: "small", thinking: "high" },
  program: {},
  bridge: {},
  // `Task` runs them on the model of their role, with the tools for reading.
  explore: { key: "key-of-the-profile", model: "small", tools: reading },
  plan: { limits, tools: reading },
  summary: { model: "small", thinking: "high", tools: reading },
  // `dynamic_subagent_task` uses the lighter model, with the tools that it names.
  general: { model: "small", tools: ["Read"] },
}

const withoutModel: ReadonlySet<ProfileName> = new Set(["program", "bridge"])
const defaults = { max_steps: 100, timeout_seconds: null, budget_usd: null, budget_tokens: null }

const nameOf = (tool: unknown): string =>
  String((tool as { readonly function?: { readonly name?: unknown } }).function?.name)

/** A run gets the tools of an MCP server only if the server answers in time when the run needs them. */
const ownTools = (tools: unknown): readonly unknown[] =>
  (Array.isArray(tools) ? tools : []).filter((tool) => !nameOf(tool).startsWith("mcp__"))

/** The first line of the general prompt says who reads the agent's answer, which depends on the way. */
const withoutReader = (content: unknown): string => String(content).replace(/^You are an? (?:sub-)?agent .*\n/, "")

/** What the provider got, apart from the instruction. */
const seenByProvider = (request: RecordedRequest) => ({
  authorization: request.headers.authorization,
  model: request.body["model"],
  reasoning_effort: request.body["reasoning_effort"],
  tools: ownTools(request.body["tools"]),
  toolNames: ownTools(request.body["tools"]).map(nameOf).toSorted(),
  system: readWireMessages(request)
    .filter(({ role }) => role === "system")
    .map(({ content }) => withoutReader(content)),
})

const withoutWeb = ({ tools, toolNames, ...seen }: ReturnType<typeof seenByProvider>) => ({
  ...seen,
  tools: tools.filter((tool) => nameOf(tool) !== webFetchName),
  toolNames: toolNames.filter((name) => name !== webFetchName),
})

const outcomeOf = async ({ ask }: ProfilesProject, id: string) => {
  for (;;) {
    const outcome = await ask(`/v1/sessions/${id}/outcome?wait_seconds=50`)
    if (outcome !== null) return outcome
  }
}

/** What the first way showed of a profile: every other way must show the same. */
const references = new Map<ProfileName, ReturnType<typeof seenByProvider>>()
let tasks = 0

/** Starts a session of the profile in this way, and checks its limits, what the provider got, and its answer. */
export const checkWay = async (project: ProfilesProject, way: Way, profile: ProfileName): Promise<void> => {
  const task = `Work ${(tasks += 1)} of ${profile}`
  const id = await way.start(project, profile, task)
  const outcome = await outcomeOf(project, id)
  expect(outcome).toMatchObject({ outcome: "completed", task_id: id })
  const hasModel = !withoutModel.has(profile)
  expect(outcome.final_message).toContain(hasModel ? "Done." : task)
  const session = await project.ask(`/v1/sessions/${id}`)
  const own = expected[profile]
  expect(session).toMatchObject({ agent: profile, depth: way.kind === "sub-agent" ? 1 : 0 })
  const wanted = {
    ...defaults,
    ...(way.maxSteps === undefined ? {} : { max_steps: way.maxSteps }),
    ...own.limits,
    ...(way.kind === "sub-agent" ? { timeout_seconds: subagentSeconds } : {}),
  }
  expect(Object.fromEntries(Object.keys(wanted).map((name) => [name, session.limits[name].limit])), "limits").toEqual(
    wanted,
  )
  if (!hasModel) return
  const requests = project.requestsOf(task).map(seenByProvider)
  const [seen] = requests
  expect(requests).toHaveLength(1)
  expect(seen).toMatchObject({ authorization: `Bearer ${own.key ?? "key-of-main"}`, model: own.model ?? "big" })
  expect(seen?.reasoning_effort).toBe(own.thinking)
  if (own.tools !== undefined) expect(seen?.toolNames).toEqual(own.tools)
  const reference = references.get(profile)
  if (reference !== undefined) expect(seen).toEqual(way.asksNobody === true ? withoutWeb(reference) : reference)
  else if (seen !== undefined) references.set(profile, seen)
}
