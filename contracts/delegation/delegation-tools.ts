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
/** What it sets free, or stops, is not undone by calling it again. */
const decides = { readOnly: false, destructive: true, idempotent: false } as const
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
      "Hands one self-contained question or piece of reading to a sub-agent and waits for its answer. The sub-agent lists, searches and reads files and changes nothing. " +
      "Use it to keep long searches out of your own context, or to look at several things at once: several calls in one reply run side by side. " +
      "It sees nothing of this conversation, so the prompt must carry everything: the goal, where to look, what is already known, and what to report back in which form. " +
      "Not worth it for a file that you know the path of, or for a single search.",
  },
  {
    name: "dynamic_subagent_task",
    family: "tasks",
    input: dynamicSubagentTaskInputSchema,
    ...starts,
    description:
      "Starts a sub-agent with instructions, context and tools of your choice, and returns its task_id at once, so that several can work side by side. " +
      "Give it the fewest tools that will do. Without enable_sandbox, calls that change something pause the task until they are approved; with it, they run confined and need no approval. " +
      noPolling,
  },
  {
    name: "resume_subagent_task",
    family: "tasks",
    input: resumeSubagentTaskInputSchema,
    ...decides,
    description:
      "Goes on with a paused task, or gives a completed one its next instruction. Paused for approval: name its pending calls in approve or reject (approve_all spares those in reject); calls that you do not name are rejected. " +
      "Read a call's arguments before you approve it. Paused for input, or completed: give input. Decisions and input exclude each other.",
  },
  {
    name: "resume_task",
    family: "tasks",
    input: resumeTaskInputSchema,
    ...decides,
    description:
      "The same as resume_subagent_task in another form: either tool_decisions on the pending calls of a paused task (those that you do not name are rejected), or a prompt; never both.",
  },
  {
    name: "get_task_details",
    family: "tasks",
    input: getTaskDetailsInputSchema,
    ...reads,
    description: `Status, result or output so far, error, and pending calls with their arguments, of one task. For a look now and then. ${noPolling}`,
  },
  {
    name: "get_all_tasks",
    family: "tasks",
    input: getAllTasksInputSchema,
    ...reads,
    description: `A table of the tasks that you may look after: id, status, description, start, duration, steps. Use it to find an id again. ${noPolling}`,
  },
  {
    name: "wait_for_tasks",
    family: "tasks",
    input: waitForTasksInputSchema,
    ...reads,
    description:
      "Waits until all the named tasks are final or paused, and returns the result, error or pending calls of each, in the order in which you name them. " +
      "Start everything that can run side by side first, then wait once for all. A timeout cancels nothing.",
  },
  {
    name: "cancel_task",
    family: "tasks",
    input: cancelTaskInputSchema,
    ...stops,
    description:
      "Cancels a task and everything below it. Its output so far stays, and it stays listed as cancelled. Of a task that is over it answers the status and changes nothing.",
  },
  {
    name: "sessions_spawn",
    family: "sessions",
    input: sessionsSpawnInputSchema,
    ...starts,
    description: `Starts a sub-agent of a profile in the background and returns at once. It sees nothing of this conversation: put goal, place, what is known, and what to report into the task. A label makes it easy to address. ${noPolling}`,
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
    description:
      "What was said in a sub-agent's session, newest rows last, cleaned and cut; with includeTools also its calls and their results. To check a result or to see how far it came, not to wait for it.",
  },
  {
    name: "sessions_send",
    family: "sessions",
    input: sessionsSendInputSchema,
    ...starts,
    description:
      "Sends a follow-up to a sub-agent: taken up when its present run ends, or at once where none runs; it also answers a question that the sub-agent has asked. To change what it does right now, steer it with subagents.",
  },
  {
    name: "sessions_yield",
    family: "sessions",
    input: sessionsYieldInputSchema,
    ...reads,
    description:
      "Ends your turn until all sub-agents that you wait for are final or paused; their results then come together. Call it when you have nothing else to do.",
  },
  {
    name: "subagents",
    family: "sessions",
    input: subagentsInputSchema,
    ...decides,
    description: `Looks after your sub-agents: list; info and log of one; send (taken up after the present run) or steer (redirects the present run: calls that have not started are skipped); kill one or all; wait for one or all. ${noPolling}`,
  },
]
