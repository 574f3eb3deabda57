// npm run bench:agent -- --model <model> [--agent <profile>] [--config <file>] [--max-steps <n>] [tasks…]: lets an agent do small real tasks.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { startAdjutant } from "../rig/adjutant-process.ts"
import { agentTasks } from "./agent-tasks.ts"
import { resultsText } from "./results-text.ts"
import { runTask, type TaskResult } from "./run-task.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: "string", default: "main" },
    agent: { type: "string", default: "general" },
    config: { type: "string" },
    "max-steps": { type: "string", default: "60" },
  },
})
const unknown = positionals.filter((name) => !agentTasks.some((task) => task.name === name))
if (unknown.length > 0)
  throw new Error(`unknown task: ${unknown.join(", ")}; tasks: ${agentTasks.map(({ name }) => name).join(" ")}`)
const chosen = agentTasks.filter(({ name }) => positionals.length === 0 || positionals.includes(name))

const dataDir = await mkdtemp(join(tmpdir(), "adjutant-bench-agent-"))
const agent = {
  ...{ model: values.model, profile: values.agent, maxSteps: Number(values["max-steps"]), dataDir },
  config: values.config === undefined ? undefined : resolve(values.config),
}
const results: TaskResult[] = []
try {
  for (const task of chosen) {
    process.stderr.write(`${task.name}\n`)
    results.push(await runTask(task, agent))
  }
  process.stdout.write(`${resultsText(agent, results)}\n`)
} finally {
  await startAdjutant({ args: ["--data-dir", dataDir, "service", "stop"], cwd: dataDir, env: process.env }).ended
  await rm(dataDir, { recursive: true, force: true })
}
