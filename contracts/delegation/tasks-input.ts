import { z } from "zod"
import { saidSchema } from "../text-schemas.ts"
import { choiceArgumentsShape } from "../run/choice-schemas.ts"
import { limitArgumentsShape } from "../run/limit-schemas.ts"

const taskId = z.string().min(1).max(200).describe("Id of the task")
const checkpointId = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("The checkpoint meant: needed for a task that you did not start, refused if it is no longer open")
const callIds = z.array(z.string().min(1).max(200)).max(1_000)

export const dynamicSubagentTaskInputSchema = z.strictObject({
  description: z.string().min(1).max(500).describe("What the task is, in a few words"),
  instructions: saidSchema.describe("What to do, what counts as done, and what to report"),
  context: z.string().optional().describe("Results of earlier work that the sub-agent needs"),
  tools: z.array(z.string().min(1).max(200)).min(1).describe("The tools that it can use: only those that it needs"),
  ...choiceArgumentsShape("dynamic_subagent_task"),
  ...limitArgumentsShape("dynamic_subagent_task"),
  enable_sandbox: z
    .boolean()
    .default(false)
    .describe(
      "Run its commands in a sandbox that only reads the working directory, has a scratch folder and no network: there they need no approval",
    ),
})
export type DynamicSubagentTaskInput = z.infer<typeof dynamicSubagentTaskInputSchema>

/** The longest time limit of a command, and its default: timers of Node cannot wait for more than 24 days. */
export const maxCommandSeconds = 604_800

export const runCommandTaskInputSchema = z.strictObject({
  command: z.string().min(1).max(100_000).describe("The command, as given to bash -c"),
  description: z.string().min(1).max(500).optional().describe("What the command does, in a few words"),
  timeout_seconds: z
    .number()
    .nonnegative()
    .max(maxCommandSeconds)
    .optional()
    .describe(`Stop the command after this many seconds (default, and with 0: ${maxCommandSeconds}, 7 days)`),
})
export type RunCommandTaskInput = z.infer<typeof runCommandTaskInputSchema>

export const resumeSubagentTaskInputSchema = z.strictObject({
  task_id: taskId,
  checkpoint_id: checkpointId,
  approve: callIds.optional().describe("Calls to approve"),
  reject: callIds.optional().describe("Calls to reject"),
  approve_all: z.boolean().optional().describe("Approve every call that is not in `reject`"),
  reject_all: z.boolean().optional().describe("Reject every call"),
  input: saidSchema
    .optional()
    .describe("An answer if the task waits for input, or a new instruction for a completed task"),
})

export const resumeTaskInputSchema = z.strictObject({
  task_id: taskId,
  checkpoint_id: checkpointId,
  tool_decisions: z
    .array(z.strictObject({ tool_call_id: z.string().min(1).max(200), approved: z.boolean() }))
    .max(1_000)
    .optional(),
  prompt: saidSchema.optional(),
})

export const getTaskDetailsInputSchema = z.strictObject({
  task_id: taskId,
  checkpoint_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("One of its checkpoints, for a task that you did not start"),
})
export const getAllTasksInputSchema = z.strictObject({})
export const waitForTasksInputSchema = z.strictObject({
  task_ids: z
    .union([z.array(z.string().min(1).max(200)).min(1).max(1_000), z.string().min(1)], {
      error: "must be a list of task ids, or one text with ids separated by spaces",
    })
    .describe("Ids of the tasks: a list, or one text with ids separated by spaces"),
  timeout_seconds: z
    .number()
    .nonnegative()
    .max(31_536_000)
    .optional()
    .describe("Return after this many seconds at the latest; cancels nothing. 0: no limit of its own"),
})
export type WaitForTasksInput = z.infer<typeof waitForTasksInputSchema>
export const cancelTaskInputSchema = z.strictObject({ task_id: taskId })

/** Returns the ids of a `wait_for_tasks` call from either form, without duplicates. */
export const taskIdsOf = (input: WaitForTasksInput): readonly string[] => [
  ...new Set(
    typeof input.task_ids === "string" ? input.task_ids.split(/[\s,]+/).filter((id) => id !== "") : input.task_ids,
  ),
]
