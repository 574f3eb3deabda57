import { expect, it } from "vitest"
import { scheduleSchema } from "../../../contracts/config/schedules.ts"
import { sessionsSendInputSchema, sessionsSpawnInputSchema } from "../../../contracts/delegation/sessions-input.ts"
import { taskInputSchema } from "../../../contracts/delegation/task-input.ts"
import {
  dynamicSubagentTaskInputSchema,
  resumeSubagentTaskInputSchema,
} from "../../../contracts/delegation/tasks-input.ts"
import { channelMessageSchema } from "../../../contracts/http/channels.ts"
import { standardInboundSchema } from "../../../contracts/http/inbound-webhook.ts"
import { sendMessageBodySchema, startRunBodySchema } from "../../../contracts/http/send-message.ts"
import { forkBodySchema } from "../../../contracts/http/sessions.ts"

const schemas = {
  "a run": [startRunBodySchema, (text: string) => ({ message: text })],
  "a message": [sendMessageBodySchema, (text: string) => ({ message: text })],
  "one of several messages": [sendMessageBodySchema, (text: string) => ({ messages: ["One.", text] })],
  "a chat message": [sendMessageBodySchema, (text: string) => ({ message: { role: "user", content: text } })],
  "a fork": [forkBodySchema, (text: string) => ({ at_step: 1, message: text })],
  "an answer by webhook": [standardInboundSchema, (text: string) => ({ action: "input", task_id: "abc123", text })],
  "steering by webhook": [standardInboundSchema, (text: string) => ({ action: "steer", task_id: "abc123", text })],
  "a channel's message": [channelMessageSchema, (text: string) => ({ thread_key: "t", message_id: "m", text })],
  "a schedule": [scheduleSchema, (text: string) => ({ cron: "0 6 * * *", prompt: text })],
  Task: [taskInputSchema, (text: string) => ({ description: "d", subagent_type: "general", prompt: text })],
  dynamic_subagent_task: [
    dynamicSubagentTaskInputSchema,
    (text: string) => ({ description: "d", tools: ["Read"], instructions: text }),
  ],
  resume_subagent_task: [resumeSubagentTaskInputSchema, (text: string) => ({ task_id: "abc123", input: text })],
  sessions_spawn: [sessionsSpawnInputSchema, (text: string) => ({ task: text })],
  sessions_send: [sessionsSendInputSchema, (text: string) => ({ sessionKey: "abc123", message: text })],
} as const

it.each(Object.entries(schemas))("%s needs a text that is not only white space", (_name, [schema, inputOf]) => {
  expect(schema.safeParse(inputOf("Count.")).error).toBeUndefined()
  for (const text of ["", " ", " \n\t "]) {
    const { error } = schema.safeParse(inputOf(text))
    expect([text, error?.message]).toEqual([text, expect.stringMatching(/must not be empty|Too small/)])
  }
})
