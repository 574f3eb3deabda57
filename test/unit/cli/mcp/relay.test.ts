import { PassThrough } from "node:stream"
import { expect, it } from "vitest"
import { createRelay } from "../../../../cli/mcp/relay.ts"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import { splitLines } from "../../../../mcp/transport/split-lines.ts"
import type { McpConnection } from "../../../../service/mcp/connect-mcp.ts"
import { eventually } from "../../../helpers/eventually.ts"

/** A service, as the relay sees it. */
const service = () => {
  const sent: unknown[] = []
  const out = new PassThrough()
  const connection: McpConnection = {
    repeatable: ["wait_for_tasks", "Task"],
    ends_with_last: false,
    send: (line) => void sent.push(JSON.parse(line)),
    lines: splitLines(out),
    end: () => void out.end(),
  }
  return {
    connection,
    sent,
    says: (message: object) => out.write(`${JSON.stringify(message)}\n`),
    dies: () => out.end(),
  }
}

const relayOver = (...services: readonly (ReturnType<typeof service> | AdjutantError)[]) => {
  const heard: unknown[] = []
  let next = 0
  const relay = createRelay({
    connect: async () => {
      const answer = services[next]
      next += 1
      if (answer === undefined) throw new Error("connected too often")
      if (answer instanceof AdjutantError) throw answer
      return answer.connection
    },
    write: (line) => void heard.push(JSON.parse(line)),
  })
  return { relay, heard, takes: (message: object) => relay.take(`${JSON.stringify(message)}\n`) }
}

const call = (id: number, name: string) => ({ id, method: "tools/call", params: { name, arguments: {} } })
const initialize = { id: 0, method: "initialize", params: { capabilities: {} } }
const initialized = { method: "notifications/initialized" }

it("passes messages on in both directions, from the first one", async () => {
  const first = service()
  const { heard, takes } = relayOver(first)
  takes(initialize)
  await eventually(() => first.sent.length === 1)
  first.says({ id: 0, result: { serverInfo: {} } })
  takes(initialized)
  takes(call(1, "wait_for_tasks"))
  first.says({ method: "notifications/progress", params: { progressToken: 1 } })
  first.says({ id: 1, result: {} })
  await eventually(() => heard.length === 3)
  expect(first.sent).toEqual([initialize, initialized, call(1, "wait_for_tasks")])
  expect(heard.at(-1)).toEqual({ id: 1, result: {} })
})

it("sends again to the next service what can be repeated, after what opened the connection", async () => {
  const [first, second] = [service(), service()]
  const { heard, takes } = relayOver(first, second)
  takes(initialize)
  await eventually(() => first.sent.length === 1)
  first.says({ id: 0, result: { serverInfo: {} } })
  await eventually(() => heard.length === 1)
  takes(initialized)
  for (const [id, name] of [
    [1, "wait_for_tasks"],
    [2, "resume_task"],
  ] as const)
    takes(call(id, name))
  takes({ id: 3, method: "resources/list" })
  first.dies()
  await eventually(() => second.sent.length === 4)
  expect(second.sent).toEqual([
    initialize,
    initialized,
    {
      ...call(1, "wait_for_tasks"),
      params: { name: "wait_for_tasks", arguments: {}, _meta: { "adjutant/repeated": true } },
    },
    { id: 3, method: "resources/list" },
  ])
  // The client has had its answer, and a decision may have been made.
  second.says({ id: 0, result: { serverInfo: {} } })
  second.says({ id: 1, result: { done: true } })
  await eventually(() => heard.length === 3)
  expect(heard.slice(1)).toEqual([
    expect.objectContaining({ id: 2, result: expect.objectContaining({ isError: true }) }),
    { id: 1, result: { done: true } },
  ])
})

it("withdraws the questions of a service that is gone, and drops late answers to them", async () => {
  const [first, second] = [service(), service()]
  const { heard, takes } = relayOver(first, second)
  takes(call(1, "Task"))
  await eventually(() => first.sent.length === 1)
  first.says({ id: 0, method: "elicitation/create", params: {} })
  await eventually(() => heard.length === 1)
  first.dies()
  await eventually(() => second.sent.length === 1)
  takes({ id: 0, result: { action: "accept" } })
  second.says({ id: 0, method: "elicitation/create", params: {} })
  await eventually(() => heard.length === 3)
  expect(heard).toMatchObject([
    { id: 0, method: "elicitation/create" },
    { method: "notifications/cancelled", params: { requestId: 0 } },
    { id: "2.0", method: "elicitation/create" },
  ])
  takes({ id: "2.0", result: { action: "decline" } })
  expect(second.sent.slice(1)).toEqual([{ id: 0, result: { action: "decline" } }])
})

it("says why no service answers, and tries again for the next call", async () => {
  const stopped = new AdjutantError("service_stopped", "the service was stopped")
  const second = service()
  const { heard, takes } = relayOver(stopped, second)
  takes(call(1, "wait_for_tasks"))
  takes({ id: 2, method: "tools/list" })
  await eventually(() => heard.length === 2)
  expect(heard).toMatchObject([
    { id: 1, result: { isError: true, content: [{ text: "SERVICE_UNAVAILABLE: the service was stopped" }] } },
    { id: 2, error: { message: "the service was stopped" } },
  ])
  takes(call(3, "wait_for_tasks"))
  await eventually(() => second.sent.length === 1)
  expect(second.sent).toEqual([call(3, "wait_for_tasks")])
})

it("does not send a call to a fourth service, which may end by it like the others", async () => {
  const services = [service(), service(), service(), service()]
  const { heard, takes } = relayOver(...services)
  takes(call(1, "wait_for_tasks"))
  for (const each of services.slice(0, 3)) {
    await eventually(() => each.sent.length === 1)
    each.dies()
  }
  await eventually(() => heard.length === 1)
  expect(heard).toMatchObject([{ id: 1, result: { isError: true } }])
  expect(services[3]?.sent).toEqual([])
})
