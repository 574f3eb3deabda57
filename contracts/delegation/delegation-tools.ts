import type { z } from "zod"
import {
  agentsListInputSchema,
  sessionsHistoryInputSchema,
  sessionsListInputSchema,
  sessionsMergeInputSchema,
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
  runCommandTaskInputSchema,
  waitForTasksInputSchema,
} from "./tasks-input.ts"

/** A tool as the MCP server advertises it. */
export interface AdvertisedTool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  /** Whether results come later: each reader is told how it gets them, since that depends on what it can call. */
  readonly isAwaited?: true
  /** Whether the work that it starts changes nothing, so that no client has to ask before a call. */
  readonly changesNothing?: true
}

/** A delegation tool, the same inside a run and over MCP. */
export interface DelegationTool extends AdvertisedTool {
  readonly family: "task" | "tasks" | "sessions"
}

const reads = { readOnly: true, destructive: false, idempotent: true } as const
const starts = { readOnly: false, destructive: false, idempotent: false } as const
/** The kinds of tools whose effect cannot be taken back. A second decision is refused; a second stop does nothing. */
const decides = { readOnly: false, destructive: true, idempotent: false } as const
const stops = { readOnly: false, destructive: true, idempotent: true } as const

/** Every delegation tool by name, in the order in which a model sees them. */
export const delegationTools: readonly DelegationTool[] = [
  {
    name: "Task",
    family: "task",
    input: taskInputSchema,
    ...starts,
    changesNothing: true,
    description:
      "Gives one self-contained question or reading task to a sub-agent and waits for its answer. The sub-agent lists, searches and reads files, and changes nothing. " +
      "Use it to keep long searches out of your own context, or to examine several things at once: several calls in one reply run in parallel. " +
      "It does not see this conversation, so the prompt must contain everything: the goal, where to look, what is already known, and what to report back in which form. " +
      "Do not use it for a file whose path you know, or for a single search.",
  },
  {
    name: "dynamic_subagent_task",
    family: "tasks",
    input: dynamicSubagentTaskInputSchema,
    ...starts,
    description:
      "Starts a sub-agent with instructions, context and tools of your choice, and does not wait for its end, so that several can work in parallel. " +
      "Give it only the tools that it needs. Without enable_sandbox, calls that change something pause the task until they are approved; with it, commands need no approval: they run in a sandbox that only reads the working directory, with a scratch folder and without network.",
    isAwaited: true,
  },
  {
    name: "resume_subagent_task",
    family: "tasks",
    input: resumeSubagentTaskInputSchema,
    ...decides,
    description:
      "Continues a paused task, or gives a completed one its next instruction. If it is paused for approval, name its pending calls in approve or reject; approve_all approves all except those in reject. Calls that you do not name are rejected. " +
      "Read a call's arguments before you approve it. If it is paused for input, or has completed, pass input. Do not combine decisions with input.",
  },
  {
    name: "resume_task",
    family: "tasks",
    input: resumeTaskInputSchema,
    ...decides,
    description:
      "Same as resume_subagent_task, with other arguments: pass either tool_decisions for the pending calls of a paused task (calls that you do not name are rejected) or a prompt, never both.",
  },
  {
    name: "get_task_details",
    family: "tasks",
    input: getTaskDetailsInputSchema,
    ...reads,
    description:
      "Returns the status of one task, its result or output so far, its error, and its pending calls with their arguments.",
    isAwaited: true,
  },
  {
    name: "get_all_tasks",
    family: "tasks",
    input: getAllTasksInputSchema,
    ...reads,
    description:
      "Returns a table of the tasks that you can manage: id, status, description, start, duration, steps. Use it to find an id again.",
    isAwaited: true,
  },
  {
    name: "wait_for_tasks",
    family: "tasks",
    input: waitForTasksInputSchema,
    ...reads,
    description:
      "Waits until all the named tasks have ended or are paused, and returns the result, error or pending calls of each, in the order in which you name them. " +
      "First start everything that can run in parallel, then wait once for all. A timeout cancels nothing.",
  },
  {
    name: "cancel_task",
    family: "tasks",
    input: cancelTaskInputSchema,
    ...stops,
    description:
      "Cancels a task and its sub-agents at any depth. Its output so far is kept, and it is still listed, as cancelled. For a task that has ended, returns its status and changes nothing.",
  },
  {
    name: "run_command_task",
    family: "tasks",
    input: runCommandTaskInputSchema,
    ...starts,
    description:
      "Runs a shell command in the background as a task, and does not wait for its end. Use it for builds, test suites and servers that take longer than a call of Bash may. " +
      "The same approval policy and sandbox apply as to Bash, and it counts as a sub-agent. get_task_details shows its last output, wait_for_tasks waits for its end, and cancel_task stops it with everything that it started.",
    isAwaited: true,
  },
  {
    name: "sessions_spawn",
    family: "sessions",
    input: sessionsSpawnInputSchema,
    ...starts,
    description:
      "Starts a sub-agent of a profile in the background. It does not see this conversation: put the goal, where to look, what is known, and what to report into the task. Set a label to refer to it by name.",
    isAwaited: true,
  },
  {
    name: "agents_list",
    family: "sessions",
    input: agentsListInputSchema,
    ...reads,
    description:
      "Lists the profiles that sessions_spawn can start here; with agentId, returns one of them with its settings.",
  },
  {
    name: "sessions_list",
    family: "sessions",
    input: sessionsListInputSchema,
    ...reads,
    description: "Lists your sub-agents at any depth with their status.",
    isAwaited: true,
  },
  {
    name: "sessions_history",
    family: "sessions",
    input: sessionsHistoryInputSchema,
    ...reads,
    description:
      "Returns the transcript of a sub-agent's session, oldest row first, with secrets and thinking removed and long texts shortened; with includeTools also its calls and their results. Use it to check a result or the progress, not to wait.",
  },
  {
    name: "sessions_send",
    family: "sessions",
    input: sessionsSendInputSchema,
    ...starts,
    description:
      "Sends a follow-up to a sub-agent. A new run handles it when the current run ends, or immediately if no run is active; it also answers a question that the sub-agent has asked. To change what it does right now, steer it with subagents.",
  },
  {
    name: "sessions_yield",
    family: "sessions",
    input: sessionsYieldInputSchema,
    ...reads,
    description:
      "Ends your turn until all sub-agents that you wait for have ended or are paused; you then get all their results together. Call it when you have nothing else to do.",
  },
  {
    name: "subagents",
    family: "sessions",
    input: subagentsInputSchema,
    ...decides,
    description:
      "Manages your sub-agents: list; info, log and diff (what it changed in its worktree) of one; send (a follow-up after the current run) or steer (redirects the current run: calls that have not started are skipped); kill one or all; wait for one or all.",
    isAwaited: true,
  },
  {
    name: "sessions_merge",
    family: "sessions",
    input: sessionsMergeInputSchema,
    ...starts,
    description:
      "Applies what a sub-agent changed in its git worktree to your files: all of it or, if it does not fit them, nothing. Read the diff first. A person may have to approve the call, and sees the diff.",
  },
]
