import { expect, test } from "vitest"
import { createDeltaStream } from "../../../activities/model/delta-stream.ts"
import { createRedact } from "../../../domain/text/redact.ts"
import type { NewEvent } from "../../../store/store.ts"

const openStream = () => {
  const written: NewEvent[] = []
  const streamed = {
    add: (_: string, event: NewEvent) => void written.push(event),
    flush: async () => {},
    take: async () => [],
  }
  const turn = { sessionId: "s1", runId: "r1", seq: 2, attempt: 1 }
  const stream = createDeltaStream({ streamed, redact: createRedact(["hunter2"]) }, turn)
  return { stream, shown: () => written.map(({ type, data }) => [type, data["text"]]) }
}

test("withholds what may become a secret, and shows other text at once", () => {
  const { stream, shown } = openStream()
  for (const text of ["ab hun", "ter", "2", " cd"]) stream.push({ type: "text", text })
  expect(shown()).toEqual([
    ["text-delta", "ab "],
    ["text-delta", "[redacted]"],
    ["text-delta", " cd"],
  ])
})

test("writes withheld text before text of another type, and at the end", async () => {
  const { stream, shown } = openStream()
  stream.push({ type: "reasoning", text: "is it hunt" })
  stream.push({ type: "text", text: "no: h" })
  await stream.end()
  expect(shown()).toEqual([
    ["reasoning-delta", "is it "],
    ["reasoning-delta", "hunt"],
    ["text-delta", "no: "],
    ["text-delta", "h"],
  ])
})

test("continues to withhold a text after an empty one of another type", () => {
  const { stream, shown } = openStream()
  stream.push({ type: "text", text: "hunt" })
  stream.push({ type: "reasoning", text: "" })
  stream.push({ type: "text", text: "er2" })
  expect(shown()).toEqual([["text-delta", "[redacted]"]])
})
