// The arguments of a call are stored as the model wrote them, because the tool needs them. They are redacted where they are shown.
import { afterEach, expect, test } from "vitest"
import type { ModelProvider } from "../../models/model-provider.ts"
import { createAssistantReply } from "../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"

const secret = "hunter2-of-the-provider"

let harness: Harness
afterEach(() => harness.close())

/** Returns everything that a history contains as one text. */
const textOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8")
  if (typeof value !== "object" || value === null) return String(value)
  return Object.values(value).map(textOf).join("\n")
}

test("a secret that a model writes is redacted in streamed text, transcript, result and history", async () => {
  const text = `The key is ${secret}.`
  const model: ModelProvider = {
    async respond({ messages, onDelta }) {
      if (messages.length === 1)
        return createAssistantReply(
          {
            calls: [
              ["Glob", { pattern: secret }],
              ["Glob", { [secret]: 1 }],
              [`read_${secret}`, {}],
            ],
          },
          1,
        )
      // Providers stream a few characters at a time.
      for (let at = 0; at < text.length; at += 3) onDelta({ type: "text", text: text.slice(at, at + 3) })
      return createAssistantReply({ text }, 2)
    },
  }
  harness = await openHarness({ model, env: { ANTHROPIC_API_KEY: secret } })
  const { client, store, start, handle } = harness
  const id = await start()
  expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "The key is [redacted]." })
  const rows = await client.messages(id)
  const names = (await store.messages.read(id, { headSeq: 1_000 })).flatMap(({ message }) =>
    message.role === "assistant"
      ? message.parts.flatMap((part) => (part.type === "tool_call" ? [part.call.name] : []))
      : message.role === "tool"
        ? [message.name]
        : [],
  )
  expect(names.filter((name) => name === "read_[redacted]")).toHaveLength(2)
  expect(JSON.stringify(names)).not.toContain(secret)
  expect(JSON.stringify(rows.at(-1))).toContain("The key is [redacted].")
  const { events } = await store.events.read(id, { after: 0, limit: 1_000 })
  const stored = events.filter(({ type }) => type !== "tool-calls-proposed")
  expect(JSON.stringify(stored)).not.toContain(secret)
  const history = textOf(await handle(id).fetchHistory())
  expect(history).toContain("[redacted]")
  expect(history).not.toContain(secret)
})
