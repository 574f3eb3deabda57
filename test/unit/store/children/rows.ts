import type { MessageRow, NewEvent } from "../../../../store/store.ts"

export const event = (runId: string, data: Record<string, unknown>, ordinal?: number): NewEvent => ({
  type: "step-started",
  runId,
  data,
  ...(ordinal === undefined ? {} : { ordinal }),
})

export const messageRow = (seq: number, text: string, fence: number): Omit<MessageRow, "at"> => ({
  seq,
  runId: "r1",
  step: 1,
  message: { role: "user", source: "input", text },
  fence,
})
