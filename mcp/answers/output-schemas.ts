import { z } from "zod"
import { pauseReasonSchema } from "../../contracts/approval/pause.ts"
import { agentSchema } from "../../contracts/http/agents.ts"
import { sessionWorktreeSchema } from "../../contracts/delegation/worktree.ts"
import { sessionSchema } from "../../contracts/session/session.ts"
import { statusSchema, stopReasonSchema } from "../../contracts/status.ts"
import { usageSchema } from "../../contracts/usage.ts"

/**
 * Set on `isError` results, which contain no other field. Every field is optional, because clients validate error results against the schema, too.
 */
const error = z.object({ code: z.string(), message: z.string() })
const next = z
  .string()
  .optional()
  .describe("What can be done now, with tools that this client can call, and which texts are data of a sub-agent")
const withError = <T extends z.ZodRawShape>(shape: T) =>
  z.looseObject(shape).partial().extend({ error: error.optional(), next })

const details = {
  task_id: z.string().describe("Stays the same through any number of pauses and runs"),
  session_id: z.string(),
  session_key: z.string(),
  description: z.string().nullable(),
  label: z.string().nullable(),
  agent: z.string(),
  model: z.string(),
  status: statusSchema,
  stop_reason: stopReasonSchema.nullable(),
  run_id: z.string().nullable(),
  checkpoint_id: z.string().nullable(),
  pause_reason: pauseReasonSchema.nullable().describe("What a paused task waits for"),
  agent_message: z.string().nullable(),
  result: z.string().nullable().describe("Final text, or the partial text so far"),
  steps_taken: z.number().int(),
  usage: usageSchema,
  started_at: z.string().nullable(),
  duration_ms: z.number().nullable(),
  worktree: sessionWorktreeSchema.optional().describe("What it changed in its git worktree; absent if it has none"),
}

const detailsSchema = z
  .looseObject({
    ...details,
    error: error.nullable().describe("Why the task or the call failed"),
    next,
  })
  .partial()

const startedSchema = withError({
  ...details,
  tools: z.array(z.string()),
  sandboxed: z.boolean(),
}).extend({ error: error.nullable().optional() })

const resumedSchema = withError({ task_id: z.string(), run_id: z.string(), status: statusSchema })

const envelopeSchema = z.looseObject({
  status: z.enum(["success", "partial", "error"]),
  data: z.looseObject({
    status: statusSchema,
    result: z.string(),
    tool_summary: z.array(z.object({ tool: z.string(), count: z.number().int() })),
    model_used: z.string().nullable(),
    subagent_type: z.string().nullable(),
    session_id: z.string().nullable(),
  }),
  text: z.string(),
  stats: z.object({ time_ms: z.number(), tool_calls: z.number().int(), model: z.string().nullable() }),
  context: z.object({ cwd: z.string(), params_input: z.unknown() }),
  error: error.optional(),
  next,
})

const spawnSchema = z
  .looseObject({
    status: z.enum(["accepted", "forbidden", "error"]),
    runId: z.string(),
    childSessionKey: z.string(),
    sessionId: z.string(),
    warning: z.string(),
  })
  .partial()
  .extend({ error: z.union([z.string(), error]).optional(), next })

/** A session in a list. What it said last, and the arguments of its calls, are in its details. */
const listedSession = sessionSchema.omit({ final_message: true })

const historyRow = z.looseObject({
  seq: z.number().int(),
  role: z.enum(["user", "assistant", "tool"]),
  text: z.string(),
})

/** The schema of each tool's `structuredContent`. */
export const outputSchemas: Readonly<Record<string, z.ZodObject>> = {
  Task: envelopeSchema,
  dynamic_subagent_task: startedSchema,
  run_command_task: startedSchema,
  resume_subagent_task: resumedSchema,
  resume_task: resumedSchema,
  get_task_details: detailsSchema,
  get_all_tasks: withError({ tasks: z.array(z.looseObject({ task_id: z.string(), status: statusSchema })) }),
  wait_for_tasks: withError({
    timed_out: z.boolean(),
    tasks: z.array(detailsSchema),
    notes: z.array(z.string()).optional(),
  }),
  cancel_task: withError({ task_id: z.string(), status: statusSchema }),
  sessions_spawn: spawnSchema,
  agents_list: withError({
    agents: z.array(
      z.object({
        id: z.string(),
        type: z.string(),
        description: z.string().nullable(),
        profile: z.looseObject({ type: z.string() }).optional(),
      }),
    ),
  }),
  sessions_list: withError({ sessions: z.array(listedSession), next_cursor: z.string().nullable() }),
  sessions_history: withError({ session_id: z.string(), rows: z.array(historyRow), omitted: z.number().int() }),
  sessions_send: withError({
    session_id: z.string(),
    run_id: z.string(),
    state: z.enum(["applied", "accepted"]),
    effect: z.enum(["started", "queued", "answered", "steered"]),
  }),
  sessions_yield: withError({
    timed_out: z.boolean(),
    tasks: z.array(detailsSchema),
    notes: z.array(z.string()).optional(),
  }),
  subagents: z.looseObject({ error: error.nullable().optional(), next }),
  profiles_list: withError({ profiles: z.array(z.looseObject({ id: z.string(), source: z.string() })) }),
  profiles_create: withError(agentSchema.shape),
  profiles_update: withError(agentSchema.shape),
  profiles_delete: withError({ deleted: z.string() }),
}
