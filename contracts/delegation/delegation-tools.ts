import type { z } from "zod"
import {
  agentsListInputSchema,
  sessionsHistoryInputSchema,
  sessionsListInputSchema,
  sessionsSendInputSchema,
  sessionsSpawnInputSchema,
  sessionsYieldInputSchema,
  subagentsInputSchema,
} from "./sessions-input.ts"
import { taskInputSchema } from "./task-input.ts"
import {
  cancelTaskInputSchema,
  dynamicSubagentTaskInputSchema,
  getAllTasksInputSchema,
  getTaskDetailsInputSchema,
  resumeSubagentTaskInputSchema,
  resumeTaskInputSchema,
  waitForTasksInputSchema,
} from "./tasks-input.ts"

/** A delegation tool, the same inside a run and over MCP. */
export interface DelegationTool {
  readonly name: string
  readonly family: "task" | "tasks" | "sessions"
  readonly description: string
  readonly input: z.ZodObject
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
}

const reads = { readOnly: true, destructive: false, idempotent: true } as const
const starts = { readOnly: false, destructive: false, idempotent: false } as const
const stops = { readOnly: false, destructive: true, idempotent: true } as const

const noPolling = "Do not poll: results arrive by themselves, or wait for them."

/** Every delegation tool by name, in the order in which a model sees them. */
export const delegationTools: readonly DelegationTool[] = [
  {
    name: "Task",
    family: "task",
    input: taskInputSchema,
    ...starts,
    description:
      "Hands one self-contained task to a sub-agent that reads and searches but changes nothing, and waits for its answer. " +
      "Several calls in one reply run side by side. The prompt must carry everything it needs: goal, where to look, what to report.",
  },
  {
    name: "dynamic_subagent_task",
    family: "tasks",
    input: dynamicSubagentTaskInputSchema,
    ...starts,
    description: `Starts a sub-agent with its own instructions, context and tools, and returns its task_id at once. ${noPolling}`,
  },
  {
    name: "resume_subagent_task",
    family: "tasks",
    input: resumeSubagentTaskInputSchema,
    ...starts,
    description:
      "Goes on with a paused task: approve or reject its pending calls, or answer its question. Calls that are not named are rejected. With input, a completed task takes up a new instruction.",
  },
  {
    name: "resume_task",
    family: "tasks",
    input: resumeTaskInputSchema,
    ...starts,
    description: "Goes on with a paused task: either decisions on its pending tool calls, or a prompt; never both.",
  },
  {
    name: "get_task_details",
    family: "tasks",
    input: getTaskDetailsInputSchema,
    ...reads,
    description: `Status, result and pending calls of one task. ${noPolling}`,
  },
  {
    name: "get_all_tasks",
    family: "tasks",
    input: getAllTasksInputSchema,
    ...reads,
    description: `A table of all tasks. ${noPolling}`,
  },
  {
    name: "wait_for_tasks",
    family: "tasks",
    input: waitForTasksInputSchema,
    ...reads,
    description:
      "Waits until all the named tasks are final or paused, and returns their results. A timeout cancels nothing.",
  },
  {
    name: "cancel_task",
    family: "tasks",
    input: cancelTaskInputSchema,
    ...stops,
    description: "Cancels a task and everything below it. It stays listed as cancelled.",
  },
  {
    name: "sessions_spawn",
    family: "sessions",
    input: sessionsSpawnInputSchema,
    ...starts,
    description: `Starts a sub-agent in the background and returns at once. Its result comes as a message when it is done. ${noPolling}`,
  },
  {
    name: "agents_list",
    family: "sessions",
    input: agentsListInputSchema,
    ...reads,
    description: "The profiles that sessions_spawn may start here.",
  },
  {
    name: "sessions_list",
    family: "sessions",
    input: sessionsListInputSchema,
    ...reads,
    description: `The sub-agents below you, with their status. ${noPolling}`,
  },
  {
    name: "sessions_history",
    family: "sessions",
    input: sessionsHistoryInputSchema,
    ...reads,
    description: "What a sub-agent said, cut and cleaned.",
  },
  {
    name: "sessions_send",
    family: "sessions",
    input: sessionsSendInputSchema,
    ...starts,
    description:
      "Sends a follow-up message to a sub-agent: it is taken up when its present run ends, or starts a new one.",
  },
  {
    name: "sessions_yield",
    family: "sessions",
    input: sessionsYieldInputSchema,
    ...reads,
    description: "Ends your turn until all sub-agents that you wait for are final or paused.",
  },
  {
    name: "subagents",
    family: "sessions",
    input: subagentsInputSchema,
    ...starts,
    description: `Looks after your sub-agents: list, info, log, send, steer, kill or wait. ${noPolling}`,
  },
]
