import { startAdjutant } from "../rig/adjutant-process.ts"
import { outcomeDocumentSchema } from "../../contracts/session/outcome-document.ts"
import type { AgentTask } from "./agent-task.ts"
import { createTaskRepository } from "./task-repository.ts"
import { wastedCalls } from "./wasted-calls.ts"

/** How one agent did at one task. */
export interface TaskResult {
  readonly task: string
  readonly isSolved: boolean
  /** The outcome of the run, or its stop reason. */
  readonly end: string
  readonly steps: number
  readonly tokens: number
  /** Null if the model has no price. */
  readonly costUsd: number | null
  /** Calls that did not run: refused, of an unknown tool, or with arguments that do not fit. */
  readonly wasted: number
  readonly seconds: number
}

export interface AgentUnderTest {
  readonly model: string
  readonly profile: string
  readonly maxSteps: number
  /** Of the runs; kept after them. */
  readonly dataDir: string
  /** Absolute path of a configuration. */
  readonly config?: string | undefined
}

const command = async (args: readonly string[], cwd: string): Promise<string> => {
  const running = startAdjutant({ args, cwd, env: process.env })
  const code = await running.ended
  // A run that failed has a document as well.
  if (running.stdout().trim() === "") throw new Error(`adjutant ${args[0]} ended with ${code}: ${running.stderr()}`)
  return running.stdout()
}

/** Lets an agent do a task, in a repository of its own, and checks what it has done. */
export const runTask = async (task: AgentTask, agent: AgentUnderTest): Promise<TaskResult> => {
  const { model, profile, maxSteps, dataDir, config } = agent
  await using repository = await createTaskRepository(task)
  const { cwd } = repository
  const place = ["--data-dir", dataDir, ...(config === undefined ? [] : ["--config", config])]
  const options = ["--agent", profile, "--model", model, "--max-steps", String(maxSteps), "--output", "json"]
  const begin = performance.now()
  const printed = await command([...place, "run", task.prompt, "--cwd", cwd, ...options], cwd)
  const seconds = (performance.now() - begin) / 1_000
  const document = outcomeDocumentSchema.parse(JSON.parse(printed))
  if (document.outcome === "started") throw new Error(`the run of ${task.name} was only started`)
  const transcript = await command([...place, "export", document.task_id], cwd)
  const { steps_taken: steps, usage } = document
  return {
    task: task.name,
    isSolved: (await repository.isSolved()).isOk,
    end: document.outcome === "failed" ? document.stop_reason : document.outcome,
    ...{ steps, seconds },
    tokens: usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens,
    costUsd: usage.cost_usd,
    wasted: wastedCalls(transcript),
  }
}
