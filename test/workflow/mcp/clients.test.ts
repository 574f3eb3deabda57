import { afterEach, describe, expect, it } from "vitest"
import type { Toolset } from "../../../contracts/service/mcp-connection.ts"
import type { ModelRequest } from "../../../models/model-provider.ts"
import { eventually, untilPasses } from "../../helpers/eventually.ts"
import { createFakeModel, type FakeReply } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { connectClient } from "./client-rig.ts"

let harness: Harness
let finish: (text: string) => void
afterEach(async () => {
  finish("stopped")
  await harness.close()
})

/** Opens a harness whose model answers when the test says so, unless another one is given. */
const open = async (respond?: (request: ModelRequest, turn: number) => FakeReply) => {
  const { promise, resolve } = Promise.withResolvers<string>()
  finish = resolve
  harness = await openHarness({ model: createFakeModel(respond ?? (async () => ({ text: await promise }))) })
  return harness
}

const brief = { description: "slow", instructions: "wait", tools: ["Read"] }
const question = { description: "slow", prompt: "wait", subagent_type: "explore", model: "main" }
const taskIdOf = ({ data }: { readonly data: Record<string, unknown> }): string => String(data["task_id"])
const statusOf = async (id: string) => (await harness.client.info(id)).status

/** The limits of a client that gives up, and of a server that answers before. A test in which nothing waits has no short one. */
const never = 600_000
const soon = 1

describe("a client with a limit for each call", () => {
  it("gets an ordinary answer from a wait before its limit, with what to do next, and the result from a later one", async () => {
    const { call } = await connectClient(await open(), {
      options: { answerLimits: { plainMs: soon, progressMs: never } },
    })
    const id = taskIdOf(await call("dynamic_subagent_task", brief))
    const waited = await call("wait_for_tasks", { task_ids: [id] })
    expect(waited).toMatchObject({
      isError: false,
      data: { timed_out: true, tasks: [{ task_id: id, status: expect.stringMatching(/^(pending|running)$/) }] },
    })
    expect(waited.data["next"]).toContain(`call wait_for_tasks {task_ids: ["${id}"]} again`)
    expect(waited.text).toContain("Nothing was cancelled.")
    finish("done")
    await eventually(async () => (await statusOf(id)) === "completed")
    expect(await call("wait_for_tasks", { task_ids: [id] })).toMatchObject({
      data: { timed_out: false, tasks: [{ status: "completed", result: "done" }] },
    })
  })

  it("has more time for a call that asks for progress, unless the call itself has a shorter limit", async () => {
    const { call } = await connectClient(await open(), {
      options: { answerLimits: { plainMs: soon, progressMs: never } },
    })
    const id = taskIdOf(await call("dynamic_subagent_task", brief))
    const short = await call("wait_for_tasks", { task_ids: [id], timeout_seconds: 1 }, { hasProgress: true })
    expect(short.data).toMatchObject({ timed_out: true })
    const waiting = call("wait_for_tasks", { task_ids: [id] }, { hasProgress: true })
    finish("done")
    expect((await waiting).data).toMatchObject({ timed_out: false, tasks: [{ result: "done" }] })
  })

  it("can collect the answer of a Task call that is answered before its sub-agent has ended", async () => {
    const options = { toolsets: ["task"] as const, answerLimits: { plainMs: soon, progressMs: never } }
    const { call, mcp } = await connectClient(await open(), { options })
    expect((await mcp.listTools()).tools.map(({ name }) => name)).toEqual(["Task", "wait_for_tasks"])
    const { data, isError, text } = await call("Task", question)
    expect({ data, isError }).toMatchObject({
      isError: false,
      data: { status: "partial", data: { status: "running", session_id: expect.any(String) } },
    })
    const id = String(Object(data["data"]).session_id)
    expect(text).toContain("is still running")
    expect(data["next"]).toContain(`wait_for_tasks {task_ids: ["${id}"]}`)
    finish("It is in a.ts")
    await eventually(async () => (await statusOf(id)) === "completed")
    expect(await call("wait_for_tasks", { task_ids: [id] })).toMatchObject({
      data: { tasks: [{ result: "It is in a.ts" }] },
    })
  })

  it.each([true, false])("cancels no sub-agent by giving up a Task call (with progress: %s)", async (hasProgress) => {
    const { call } = await connectClient(await open())
    const givenUp = new AbortController()
    const calling = call("Task", question, { hasProgress, signal: givenUp.signal })
    const [{ id }] = await untilPasses(async () => {
      const { items } = await harness.client.list({ limit: 1 })
      expect(items).toMatchObject([{ status: "running" }])
      return items as [(typeof items)[number]]
    })
    givenUp.abort()
    await expect(calling).rejects.toThrow()
    finish("done")
    await eventually(async () => (await statusOf(id)) === "completed")
    expect(await call("cancel_task", { task_id: id })).toMatchObject({ data: { status: "completed" } })
  })
})

describe("a client that gives up a start", () => {
  /** Delays the answers to starts until the test lets them go. */
  const withSlowStarts = async () => {
    const { client, store, loaded, cwd } = await open()
    const { promise, resolve: go } = Promise.withResolvers<void>()
    const slow: typeof client = {
      ...client,
      spawn: async (request) => {
        const outcome = await client.spawn(request)
        await promise
        return outcome
      },
    }
    return { go, client: await connectClient({ client: slow, store, loaded, cwd }) }
  }

  it("gets the same task by the same call, with a warning", async () => {
    const { go, client } = await withSlowStarts()
    const givenUp = new AbortController()
    const first = client.call("dynamic_subagent_task", brief, { signal: givenUp.signal })
    await untilPasses(async () => expect((await harness.client.list({ limit: 5 })).items).toHaveLength(1))
    givenUp.abort()
    await expect(first).rejects.toThrow()
    const again = client.call("dynamic_subagent_task", brief)
    go()
    expect((await again).data).toMatchObject({ warning: expect.stringContaining("given up") })
    const { items } = await harness.client.list({ limit: 5 })
    expect(items.map(({ id }) => id)).toEqual([taskIdOf(await again)])
  })

  it("starts another one if the arguments differ, or if both calls are answered", async () => {
    const { go, client } = await withSlowStarts()
    go()
    const ids = await Promise.all([
      client.call("dynamic_subagent_task", brief),
      client.call("dynamic_subagent_task", brief),
      client.call("dynamic_subagent_task", { ...brief, instructions: "other" }),
    ])
    expect(new Set(ids.map(taskIdOf)).size).toBe(3)
    expect(new Set([...ids.map(taskIdOf), taskIdOf(await client.call("dynamic_subagent_task", brief))]).size).toBe(4)
  })
})

describe("a client that shows forms", () => {
  const writer = (_: unknown, turn: number): FakeReply =>
    turn === 1 ? { calls: [["Write", { file_path: "a.txt", content: "alpha" }]] } : { text: "done" }
  const writing = { description: "files", instructions: "write", tools: ["Write"] }

  it.each(["decline", "cancel"] as const)("decides nothing if it answers each form at once with %s", async (action) => {
    await open(writer)
    const forms: string[] = []
    const onForm = (message: string) => {
      forms.push(message)
      return { action }
    }
    const { call } = await connectClient(harness, { onForm })
    const id = taskIdOf(await call("dynamic_subagent_task", writing))
    const { data } = await call("wait_for_tasks", { task_ids: [id] })
    expect(data).toMatchObject({
      tasks: [{ status: "paused", pause_reason: { pending_tool_calls: [{ name: "Write" }] } }],
    })
    expect(String(data["notes"])).toContain("decides nothing")
    // Some clients show three lines of a form.
    const shown = forms[0]?.split("\n").slice(0, 3).join("\n")
    for (const part of ["Write", "a.txt", "alpha"]) expect(shown).toContain(part)
    expect(forms[0]).not.toMatch(/^(---|\+\+\+|@@)/m)
    expect((await harness.store.audit.list({ sessionId: id })).map(({ action: row }) => row)).not.toContain("decide")
    await call("cancel_task", { task_id: id })
  })
})

describe("the arguments of a client whose schemas are strict", () => {
  it("may have null and empty texts for what is optional, and not for what is required", async () => {
    await open()
    finish("done")
    const { call } = await connectClient(harness)
    const started = await call("dynamic_subagent_task", { ...brief, context: null, max_steps: null })
    expect(started.isError).toBe(false)
    const id = taskIdOf(started)
    expect(await call("wait_for_tasks", { task_ids: [id], timeout_seconds: 0 })).toMatchObject({
      data: { timed_out: false, tasks: [{ result: "done" }] },
    })
    const fillers = { label: "", agentId: "", model: "", thinking: "", runTimeoutSeconds: 0 }
    expect((await call("sessions_spawn", { task: "go", ...fillers })).data).toMatchObject({ status: "accepted" })
    expect((await call("dynamic_subagent_task", { ...brief, instructions: "" })).text).toContain("VALIDATION_ERROR")
  })
})

describe("progress", () => {
  it("always increases, also after a form", async () => {
    await open((_, turn) =>
      turn === 1 ? { calls: [["Write", { file_path: "a.txt", content: "alpha" }]] } : { text: "done" },
    )
    const onForm = () => ({ action: "accept", content: { decision: "approve" } }) as const
    const { call } = await connectClient(harness, { onForm })
    const id = taskIdOf(
      await call("dynamic_subagent_task", { description: "files", instructions: "write", tools: ["Write"] }),
    )
    const progress: number[] = []
    const onProgress = (value: number) => void progress.push(value)
    await call("wait_for_tasks", { task_ids: [id] }, { hasProgress: true, onProgress })
    expect(progress.length).toBeGreaterThan(1)
    expect(progress).toEqual(progress.map((_, index) => index + 1))
  })
})

describe("two clients", () => {
  it("do not notice when the other one leaves in the middle of a call", async () => {
    await open()
    const leaving = await connectClient(harness)
    const staying = await connectClient(harness)
    const id = taskIdOf(await leaving.call("dynamic_subagent_task", brief))
    const left = leaving.call("wait_for_tasks", { task_ids: [id] }, { hasProgress: true })
    const waiting = staying.call("wait_for_tasks", { task_ids: [id] }, { hasProgress: true })
    const lost = left.catch((error: unknown) => error)
    await leaving.mcp.close()
    expect(await lost).toBeInstanceOf(Error)
    finish("done")
    expect((await waiting).data).toMatchObject({ tasks: [{ status: "completed", result: "done" }] })
  })

  it("need no connection between two calls", async () => {
    await open()
    const fresh = async (name: string, args: Record<string, unknown>) => {
      const { call, mcp } = await connectClient(harness)
      const answer = await call(name, args)
      await mcp.close()
      return answer
    }
    const id = taskIdOf(await fresh("dynamic_subagent_task", brief))
    await eventually(async () => (await statusOf(id)) === "running")
    for (let count = 0; count < 5; count += 1)
      expect((await fresh("get_task_details", { task_id: id })).data).toMatchObject({ status: "running" })
    finish("done")
    expect((await fresh("wait_for_tasks", { task_ids: [id] })).data).toMatchObject({ tasks: [{ result: "done" }] })
  })
})

describe("what a client's model reads", () => {
  const describedBy = async (toolsets: readonly Toolset[]) => {
    await open()
    const { mcp } = await connectClient(harness, { options: { toolsets } })
    const { tools } = await mcp.listTools()
    return {
      tools,
      texts: [mcp.getInstructions() ?? "", ...tools.map(({ description = "" }) => description)].join("\n"),
    }
  }

  it("promises nothing that its client does not have, and names a tool that waits and that it can call", async () => {
    const { texts } = await describedBy(["tasks", "task", "sessions"])
    expect(texts).not.toMatch(/delivered to you|task_id immediately|--max-steps|--timeout|answered in the same call/)
    expect(texts).toContain(
      "Do not poll: results come from wait_for_tasks, or from your client if it runs calls as MCP tasks.",
    )
    const { texts: onlySessions } = await describedBy(["sessions"])
    expect(onlySessions).toContain('results come from subagents {action: "wait"}')
    expect(onlySessions).not.toContain("wait_for_tasks")
  })

  it("says that Task changes nothing, so that a client need not ask", async () => {
    const { tools } = await describedBy(["task", "tasks"])
    const hintsOf = (name: string) => tools.find((tool) => tool.name === name)?.annotations
    expect(hintsOf("Task")).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: false })
    expect(hintsOf("dynamic_subagent_task")).toMatchObject({ readOnlyHint: false })
  })
})
