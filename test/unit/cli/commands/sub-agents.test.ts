import { describe, expect, it } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import type { SessionTree } from "../../../../sessions/view/inspect-tree.ts"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import type { StubOptions } from "../stub-environment.ts"
import { session, stubEnvironment } from "../stub-environment.ts"

const run = async (argv: readonly string[], options: StubOptions = {}) => {
  const stub = stubEnvironment(options)
  return { exitCode: await runCli(argv, stub.environment), ...stub }
}

const started = {
  kind: "started",
  child: { sessionId: "kid111", runId: "run_9", childSessionKey: "agent:plan:subagent:kid111", warning: "other model" },
  title: "Prepare it",
  model: "main",
  tools: [],
  sandboxed: false,
} as const

describe("spawn", () => {
  it("starts a sub-agent on the user's behalf and prints it", async () => {
    const { exitCode, written, argumentOf } = await run(
      ["spawn", "plan", "Prepare it", "--model", "big", "--thinking", "low", "--output", "json"],
      { client: { spawn: async () => started }, cwd: "/srv" },
    )
    expect(exitCode).toBe(0)
    expect(JSON.parse(written.stdout)).toEqual({
      outcome: "started",
      task_id: "kid111",
      session_id: "kid111",
      run_id: "run_9",
    })
    expect(written.stderr).toContain("other model")
    expect(argumentOf("spawn")).toMatchObject({
      call: { tool: "sessions_spawn", input: { agentId: "plan", task: "Prepare it", model: "big", thinking: "low" } },
      isPerson: true,
      cwd: "/srv",
    })
  })

  it("starts a sub-agent of a task, which is told of its end", async () => {
    const { exitCode, written, argumentOf } = await run(
      ["spawn", "plan", "Prepare it", "--parent", "abc123", "--thinking", "low", "--output", "json"],
      {
        client: {
          info: async (id: string) => session({ id, cwd: "/srv/other" }),
          create: async () => session({ id: "kid111" }),
          send: async () => ({ state: "accepted", runId: "run_9" }),
        },
      },
    )
    expect(exitCode).toBe(0)
    expect(JSON.parse(written.stdout)).toMatchObject({ outcome: "started", task_id: "kid111", run_id: "run_9" })
    expect(argumentOf("create")).toMatchObject({ parentId: "abc123", agent: "plan", cwd: "/srv/other" })
    expect(argumentOf("send")).toMatchObject({ sessionId: "kid111", text: "Prepare it", limits: { thinking: "low" } })
  })

  it("starts nothing if no service can start", async () => {
    const handOverError = new AdjutantError("service_unavailable", "the service did not start")
    const { exitCode, names } = await run(["spawn", "plan", "x"], { handOverError })
    expect([exitCode, names().includes("spawn")]).toEqual([2, false])
  })

  it("names the option that is too long", async () => {
    const { exitCode, written, names } = await run(["spawn", "plan", "x", "--label", "l".repeat(201)])
    expect(exitCode).toBe(2)
    expect(written.stderr).toMatch(/^adjutant: label: expected .*200 characters\n$/)
    expect(names()).not.toContain("spawn")
  })

  it.each([
    ["spawn", "plan"],
    ["spawn", "plan", " "],
    ["spawn", "plan", "x", "--thinking", "deep"],
  ])("rejects %j %j %j %j %j", async (...argv) => {
    expect((await run(argv.filter((word) => typeof word === "string"))).exitCode).toBe(2)
  })
})

describe("kill", () => {
  const children = {
    list: async ({ archived = false } = {}) => ({
      items: archived
        ? [session({ id: "kid111", number: 1, archived_at: "2026-11-01T00:00:00.000Z" })]
        : [session({ id: "kid333", number: 3 }), session({ id: "kid222", number: 2 })],
      next_cursor: null,
    }),
  }
  const cancelled = { info: async (id: string) => session({ id, status: "running" }) }

  it.each([
    [["kill", "abc123"], ["abc123"]],
    [
      ["kill", "all", "--parent", "abc123"],
      ["kid222", "kid333"],
    ],
    [["kill", "#2", "--parent", "abc123"], ["kid222"]],
  ])("%j cancels %j", async (argv, ids) => {
    const { exitCode, calls, written } = await run([...argv, "--output", "json"], {
      client: { ...children, ...cancelled },
    })
    expect(exitCode).toBe(0)
    expect(calls.filter(({ name }) => name === "cancel").map(({ args }) => args[0])).toEqual(ids)
    expect(JSON.parse(written.stdout)).toEqual({ items: ids.map((id) => ({ task_id: id, status: "cancelled" })) })
  })

  it.each([[["kill", "all"]], [["kill", "#1"]], [["kill", "#9", "--parent", "abc123"]]])(
    "%j cancels nothing",
    async (argv) => {
      const { exitCode, names } = await run(argv, { client: children })
      expect([exitCode, names().includes("cancel")]).toEqual([2, false])
    },
  )
})

const node = (id: string, over: Partial<SessionTree> = {}): SessionTree => ({
  ...session({ id, status: "completed" }),
  children: [],
  ...over,
})

describe("tree", () => {
  it("draws a task with all its descendants", async () => {
    const tree = node("root01", {
      status: "paused",
      children: [node("kid111", { children: [node("leaf01")] }), node("kid222", { title: "Second" })],
    })
    const { written } = await run(["tree", "root01"], { client: { tree: async () => tree } })
    const lines = written.stdout.trimEnd().split("\n")
    expect(lines.map((line) => line.replace(/ {2}.*/, ""))).toEqual(["root01", "├─ kid111", "│", "└─ kid222"])
    expect(lines[2]).toContain("└─ leaf01")
    expect(lines[3]).toContain("Second")
  })

  it("--watch prints every change and ends when every task is final", async () => {
    const states = [node("root01", { status: "running" }), node("root01", { status: "running" }), node("root01")]
    let look = 0
    const { exitCode, written } = await run(["tree", "root01", "--watch"], {
      client: { tree: async () => states[Math.min(look++, states.length - 1)] ?? node("root01") },
    })
    expect(exitCode).toBe(0)
    expect(
      written.stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split("  ")[1]),
    ).toEqual(["running", "completed"])
  })
})

describe("fork", () => {
  it("creates a session, and starts its run if there is a message", async () => {
    const client = { fork: async () => session({ id: "fork01" }) }
    const plain = await run(["fork", "abc123", "--at-step", "2", "--output", "json"], { client })
    expect(JSON.parse(plain.written.stdout)).toMatchObject({ id: "fork01" })
    expect(plain.argumentOf("fork")).toMatchObject({ sessionId: "abc123", atStep: 2 })
    const going = await run(["fork", "abc123", "Continue", "--at-step", "2", "--output", "json"], { client })
    expect(JSON.parse(going.written.stdout)).toMatchObject({ outcome: "started", task_id: "fork01" })
    expect(going.argumentOf("send")).toMatchObject({ sessionId: "fork01", text: "Continue" })
  })

  it.each([[["fork", "abc123"]], [["fork", "abc123", "--at-step", "-1"]], [["fork", "abc123", "--at-step", "x"]]])(
    "rejects %j",
    async (argv) => expect((await run(argv)).exitCode).toBe(2),
  )
})

describe("agents", () => {
  it("lists the profiles that can be run", async () => {
    const { written } = await run(["agents", "--output", "json"])
    expect(JSON.parse(written.stdout).items).toMatchObject([{ id: "general", source: "built-in", sessions: [] }])
  })
})

describe("mcp", () => {
  it.each(["", "tasks,nope", "task tasks"])("rejects the toolsets %j before anything is opened", async (value) => {
    const { exitCode, names } = await run(["mcp", "--toolsets", value])
    expect([exitCode, names()]).toEqual([2, []])
  })
})
