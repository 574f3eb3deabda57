import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import type { BenchAgent } from "../rig/bench-agent.ts"
import { prompts } from "../rig/bench-model.ts"
import { historySize, type HistorySize, usedBytes } from "./session-bytes.ts"

export interface Footprint {
  readonly steps: number
  readonly history: HistorySize
  readonly storeBytes: number
  /** Growth of the engine's own database file. */
  readonly engineBytes: number
  readonly transcriptBytes: number
}

/** A run has at most 256 steps. Longer sessions are several runs that are queued in the same execution. */
const maxStepsPerRun = 250

const runSession = async (agent: BenchAgent, steps: number): Promise<string> => {
  const perRun = Math.min(steps, maxStepsPerRun)
  if (steps % perRun !== 0) throw new Error(`${steps} steps cannot be split into runs of ${perRun}`)
  const sessionId = await agent.start({ prompt: prompts.call, max_steps: perRun })
  for (let queued = perRun; queued < steps; queued += perRun)
    await agent.client.send({
      sessionId,
      text: prompts.call,
      type: "follow_up",
      actor: { by: "bench", via: "cli" },
    })
  await agent.ended(sessionId)
  return sessionId
}

/** Returns the data that a session with the given number of steps stores. */
export const measureGrowth = async (
  agent: BenchAgent,
  { engineFile, steps }: { readonly engineFile: string; readonly steps: number },
): Promise<Footprint> => {
  const before = { store: usedBytes(agent.storeFile), engine: usedBytes(engineFile) }
  const sessionId = await runSession(agent, steps)
  const rows = await agent.client.messages(sessionId)
  const taken = rows.filter(({ message }) => message.role === "assistant").length
  if (taken !== steps) throw new Error(`the session took ${taken} steps instead of ${steps}`)
  return {
    steps,
    history: await historySize(agent.temporal, sessionWorkflowId(sessionId)),
    storeBytes: usedBytes(agent.storeFile) - before.store,
    engineBytes: usedBytes(engineFile) - before.engine,
    transcriptBytes: rows.reduce((sum, { message }) => sum + Buffer.byteLength(JSON.stringify(message)), 0),
  }
}
