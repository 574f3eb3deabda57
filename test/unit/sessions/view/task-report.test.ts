import { describe, expect, it } from "vitest"
import { actor, clientFixture, request } from "../../client/client-fixture.ts"

const spent = (sessionId: string, runId: string) => ({
  sessionId,
  runId,
  step: 1,
  fence: 1,
  model: "main",
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costMicroUsd: 20,
})

describe("the report of a task", () => {
  it("counts the steps, the time and the tokens of the latest run alone", async () => {
    const { client, store, finish } = await clientFixture()
    const { sessionId, runId } = await client.start(request)
    await store.usage.put(spent(sessionId, runId))
    await finish(sessionId, "completed")
    const second = await client.send({ sessionId, text: "And now?", type: "message", actor })
    await store.usage.put(spent(sessionId, second.runId))
    await finish(sessionId, "completed")
    await store.sessions.patch(sessionId, { stepsTaken: 4 })

    const { facts } = await client.report(sessionId)
    expect(facts).toMatchObject({ runId: second.runId, stepsTaken: 2, usage: { input_tokens: 10, output_tokens: 5 } })
    expect(await client.taskRows({ limit: 10 })).toMatchObject([{ id: sessionId, stepsTaken: 2 }])
    expect(await client.info(sessionId)).toMatchObject({ steps_taken: 4, usage: { input_tokens: 20 } })
  })
})
