import { mkdtemp, readFile, rm } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { pauseManifestPath, writePauseManifest } from "../../../../sessions/outcome/pause-manifest.ts"
import { runCli } from "../../../../cli/run-cli.ts"
import type { StubOptions } from "../stub-environment.ts"
import { paused, session, stubEnvironment } from "../stub-environment.ts"

const children: StubOptions["client"] = {
  list: async ({ archived = false } = {}) => ({
    items: archived
      ? [session({ id: "kid111", number: 1, archived_at: "2026-11-01T00:00:00.000Z" })]
      : [session({ id: "kid333", number: 3 }), session({ id: "kid222", number: 2 })],
    next_cursor: null,
  }),
  info: async (id: string) => session({ id, status: "completed" }),
  resolveTarget: async (target: string) => target,
}

const run = async (argv: readonly string[], client: StubOptions["client"] = children) => {
  const stub = stubEnvironment({ client })
  return { exitCode: await runCli([...argv, "--output", "json"], stub.environment), ...stub }
}

describe("a target", () => {
  it.each([
    [["info", "#1"], "info"],
    [["log", "#1"], "messages"],
    [["export", "#1"], "messages"],
    [["tree", "#1"], "tree"],
    [["wait", "#1"], "outcome"],
  ])("%j with --parent is the child with that number, also if it is archived", async (argv, useCase) => {
    const { exitCode, argumentOf } = await run([...argv, "--parent", "abc123"])
    expect([exitCode, argumentOf(useCase)]).toEqual([0, "kid111"])
  })

  it.each([["send"], ["steer"]])("%s selects a child by its number, or all of them", async (command) => {
    const one = await run([command, "#2", "Stop", "--parent", "abc123"])
    expect(one.argumentOf("send")).toMatchObject({ sessionId: "kid222", text: "Stop" })
    expect(JSON.parse(one.written.stdout)).toMatchObject({ task_id: "kid222", state: "applied" })
    const all = await run([command, "all", "Stop", "--parent", "abc123"])
    expect(JSON.parse(all.written.stdout)).toMatchObject({ items: [{ task_id: "kid222" }, { task_id: "kid333" }] })
  })

  it("resume decides for the child with that number", async () => {
    const { argumentOf } = await run(["resume", "#2", "--approve-all", "--parent", "abc123"], {
      ...children,
      info: async (id: string) => session({ id }),
    })
    expect(argumentOf("decide")).toMatchObject({ sessionId: "kid222", all: { action: "accept" } })
  })

  it('cancel and info accept "all"', async () => {
    const running = { ...children, info: async (id: string) => session({ id, status: "running" }) }
    const cancelled = await run(["cancel", "all", "--parent", "abc123"], running)
    expect(JSON.parse(cancelled.written.stdout)).toEqual({
      items: [
        { task_id: "kid222", session_id: "kid222", status: "cancelled" },
        { task_id: "kid333", session_id: "kid333", status: "cancelled" },
      ],
    })
    const { written } = await run(["info", "all", "--parent", "abc123"])
    expect(JSON.parse(written.stdout).items.map(({ id }: { id: string }) => id)).toEqual(["kid222", "kid333"])
  })

  it.each([[["wait", "all"]], [["log", "#4"]], [["fork", "all", "--at-step", "1"]]])(
    "%j is rejected because it is not one task",
    async (argv) => expect((await run([...argv, "--parent", "abc123"])).exitCode).toBe(2),
  )

  it.each([[["info", "#1"]], [["cancel", "all"]], [["delete", "all"]]])("%j requires --parent", async (argv) => {
    const { exitCode, written } = await run(argv)
    expect([exitCode, written.stderr]).toEqual([2, expect.stringContaining("--parent")])
  })
})

describe("delete", () => {
  it("cancels what is still running, then erases it", async () => {
    const { exitCode, names, argumentOf, written } = await run(["delete", "abc123"], {
      ...children,
      info: async (id: string) => session({ id, status: "running" }),
    })
    expect(exitCode).toBe(0)
    expect(argumentOf("delete")).toBe("abc123")
    expect(names().indexOf("cancel")).toBeLessThan(names().indexOf("delete"))
    expect(JSON.parse(written.stdout)).toEqual({ task_id: "abc123", session_id: "abc123", deleted: true })
  })

  it("removes the manifest of the task's pause, and keeps another task's", async () => {
    const cwd = await mkdtemp(path.join(os.tmpdir(), "adjutant-delete-"))
    const client = { ...children, info: async (id: string) => session({ id, cwd, status: "completed" }) }
    await writePauseManifest(cwd, paused)
    await run(["delete", "other1"], client)
    expect(await readFile(pauseManifestPath(cwd), "utf8")).toContain("May I write?")
    await run(["delete", paused.task_id], client)
    await expect(readFile(pauseManifestPath(cwd))).rejects.toThrow("ENOENT")
    await rm(cwd, { recursive: true })
  })

  it("erases every child of a task, and no other session", async () => {
    const { calls } = await run(["delete", "all", "--parent", "abc123"])
    expect(calls.filter(({ name }) => name === "delete").map(({ args }) => args[0])).toEqual(["kid222", "kid333"])
  })
})
