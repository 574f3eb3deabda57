import { existsSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import type { FakeReply } from "../../helpers/models/fake-model.ts"
import type { ModelRequest } from "../../../models/model-provider.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createTreeModel, readAnnouncements, readToolResults } from "../../helpers/limits/tree-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { git, initRepository, put, textOf, worktreesLeft } from "../../helpers/worktree-repository.ts"

let harness: Harness
const actor = { by: "test", via: "cli" }

afterEach(() => harness.close())

const spawn = { calls: [["sessions_spawn", { task: "CHILD", label: "coder", worktree: true }]] } as const
const waiting = { text: "waiting" }
const writing: ConfigInput = { tools: { policy: { Write: "auto" } } }

/** Returns the arguments with which the parent's last announcement says that the changes are merged. */
const mergeArguments = ({ messages }: ModelRequest): Record<string, unknown> => {
  const found = /sessions_merge (\{[^}]*\})/.exec(
    messages.map((message) => ("text" in message ? message.text : "")).join("\n"),
  )
  return JSON.parse(found?.[1] ?? "{}") as Record<string, unknown>
}

const open = async (
  parent: Parameters<typeof createTreeModel>[0],
  child: (turn: number, request: ModelRequest) => FakeReply | Promise<FakeReply>,
  config: ConfigInput = writing,
): Promise<void> => {
  harness = await openHarness({ config, model: createTreeModel(parent, (_, turn, request) => child(turn, request)) })
  initRepository(harness.cwd, { "a.txt": "one\n" })
}

const left = () => worktreesLeft(harness.cwd, harness.dataDir)

const childOf = async (parentId: string): Promise<string> => {
  let id = ""
  await eventually(async () => {
    id = (await harness.client.list({ parent: parentId })).items[0]?.id ?? ""
    return id !== ""
  })
  return id
}

const eventsOf = async (id: string) => (await harness.store.events.read(id, { after: 0, limit: 1_000 })).events

const paused = async (id: string) => {
  const document = await harness.client.wait(id)
  if (document?.outcome !== "paused") throw new Error(`not paused but ${JSON.stringify(document)}`)
  return { ...document, calls: document.pause_reason.pending_tool_calls ?? [] }
}

/** A file is changed only by who has read it. */
const read = (path: string): FakeReply => ({ calls: [["Read", { file_path: path }]] })
const write = (path: string, content: string): FakeReply => ({ calls: [["Write", { file_path: path, content }]] })

/** A child's turn that waits until the run is stopped. */
const never = ({ signal }: ModelRequest): Promise<FakeReply> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))))

/** A child that writes a file, and then works until it is stopped. */
const hanging = (turn: number, request: ModelRequest): FakeReply | Promise<FakeReply> =>
  turn === 1 ? write("half.txt", "half done\n") : never(request)

const isAtWork = async (id: string): Promise<boolean> =>
  (await eventsOf(id)).some(({ type, name }) => type === "tool-finished" && name === "Write")

describe("a sub-agent in a worktree", () => {
  it("changes only its worktree; its parent gets the diff, and merges it when a person approves that tree", async () => {
    let seen = ""
    await open(
      (turn, request) => {
        if (turn === 1) return spawn
        if (turn === 2) return waiting
        return turn === 3 ? { calls: [["sessions_merge", mergeArguments(request)]] } : { text: "done" }
      },
      (turn, { systemPrompt }) => {
        seen = systemPrompt
        return turn === 1 ? write("made/by-child.txt", "made\n") : { text: "I made it." }
      },
    )
    put(harness.cwd, "a.txt", "not committed\n")
    const id = await harness.start({ prompt: "PARENT", auto_approve: false })
    const { calls, checkpoint_id } = await paused(id)
    const child = await childOf(id)
    expect(existsSync(`${harness.cwd}/made`)).toBe(false)
    expect(left()).toEqual([])
    expect(seen).toContain("Your worktree")
    const [announced] = await readAnnouncements(harness, id)
    expect(announced).toMatch(/worktree: 1 file, \+1 −0, tree [0-9a-f]{40}, not merged\nA made\/by-child.txt \+1 −0/)
    expect(announced).toContain("+made")
    expect(calls).toMatchObject([{ name: "sessions_merge" }])
    expect(calls[0]?.preview?.diff).toContain("+++ b/made/by-child.txt")
    expect(calls[0]?.preview?.summary).toMatch(new RegExp(`^sessions_merge ${child} \\(1 file, tree [0-9a-f]{40}\\)$`))
    await harness.client.decide({
      sessionId: id,
      checkpointId: checkpoint_id,
      all: { action: "accept" },
      unlisted: "pending",
      actor,
    })
    await eventually(async () => (await harness.client.info(id)).status === "completed")
    expect(textOf(harness.cwd, "made/by-child.txt")).toBe("made\n")
    expect(textOf(harness.cwd, "a.txt")).toBe("not committed\n")
    expect((await readToolResults(harness, id)).at(-1)).toMatch(/^The changes are in your files: 1 file/)
    expect((await harness.client.info(child)).worktree).toMatchObject({
      status: "merged",
      files: [{ change: "added" }],
    })
    expect((await eventsOf(child)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(["worktree-opened", "worktree-closed"]),
    )
    expect((await eventsOf(id)).map(({ type }) => type)).toContain("worktree-merged")
  })

  it("is merged without a person only where policy says so, never with another tree, and not twice", async () => {
    await open(
      (turn, request) => {
        if (turn === 1) return spawn
        if (turn === 2) return waiting
        const args = mergeArguments(request)
        if (turn === 3) return { calls: [["sessions_merge", { ...args, tree: "0".repeat(40) }]] }
        return turn < 6 ? { calls: [["sessions_merge", args]] } : { text: "done" }
      },
      (turn) => [read("a.txt"), write("a.txt", "changed\n")][turn - 1] ?? { text: "ok" },
      { tools: { policy: { Write: "auto", sessions_merge: "auto" } } },
    )
    const id = await harness.start({ prompt: "PARENT", auto_approve: false })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    const [, other, merged, again] = await readToolResults(harness, id)
    expect(other).toMatch(/^the tree of \w+ is [0-9a-f]{40}, not 0{40}: read its diff again/)
    expect(merged).toMatch(/^The changes are in your files/)
    expect(again).toMatch(/nothing to merge/)
    expect(textOf(harness.cwd, "a.txt")).toBe("changed\n")
  })

  it("changes nothing where its changes do not fit, and the parent is told which file", async () => {
    await open(
      (turn, request) => {
        if (turn === 1) return spawn
        if (turn === 2) return waiting
        if (turn === 3) return read("a.txt")
        if (turn === 4) return write("a.txt", "by the parent\n")
        return turn === 5 ? { calls: [["sessions_merge", mergeArguments(request)]] } : { text: "done" }
      },
      (turn) => {
        if (turn === 1) return read("a.txt")
        if (turn > 2) return { text: "ok" }
        return {
          calls: [
            ["Write", { file_path: "a.txt", content: "by the child\n" }],
            ["Write", { file_path: "b.txt", content: "b\n" }],
          ],
        }
      },
    )
    const id = await harness.start({ prompt: "PARENT" })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect((await readToolResults(harness, id)).at(-1)).toMatch(
      /do not fit your files, and nothing was changed \(.*a\.txt/,
    )
    expect(textOf(harness.cwd, "a.txt")).toBe("by the parent\n")
    expect(existsSync(`${harness.cwd}/b.txt`)).toBe(false)
  })

  it.each([
    [
      "a link out of the directory",
      "link",
      (path: string) => symlinkSync("/etc/passwd", path),
      "link, a link out of the directory,",
    ],
    ["a protected file", "AGENTS.md", (path: string) => writeFileSync(path, "Obey.\n"), "AGENTS.md"],
  ] as const)("needs a person to merge %s, and a run that asks nobody does not", async (_, name, make, shown) => {
    await open(
      (turn, request) => {
        if (turn === 1) return spawn
        if (turn === 2) return waiting
        return turn === 3 ? { calls: [["sessions_merge", mergeArguments(request)]] } : { text: "done" }
      },
      async (_turn, { cacheKey }) => {
        const worktree = await harness.store.worktrees.get(cacheKey)
        make(join(worktree?.path ?? "", name))
        return { text: "ok" }
      },
    )
    const id = await harness.start({ prompt: "PARENT" })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect((await readToolResults(harness, id)).at(-1)).toContain(`TOOL_CALL_REJECTED: ${shown} is protected`)
    expect(existsSync(join(harness.cwd, name))).toBe(false)
    const asking = await harness.start({ prompt: "PARENT", auto_approve: false })
    const { calls, checkpoint_id } = await paused(asking)
    expect(calls[0]?.preview.protected_path).toBe(shown)
    const decision = { sessionId: asking, checkpointId: checkpoint_id, unlisted: "pending", actor } as const
    await expect(
      harness.client.decide({ ...decision, decisions: { [calls[0]?.id ?? ""]: { action: "edit", arguments: {} } } }),
    ).resolves.toBeDefined()
    await eventually(async () => (await harness.client.info(asking)).checkpoint_id !== checkpoint_id)
    const again = await paused(asking)
    expect(again.calls[0]?.preview.asked_again).toContain("reject the call instead")
    expect(existsSync(join(harness.cwd, name))).toBe(false)
  })

  it("continues with its changes when it gets another message", async () => {
    await open(
      (turn) => {
        if (turn === 1) return spawn
        if (turn === 2) return waiting
        if (turn === 3) return { calls: [["sessions_send", { sessionKey: "coder", message: "and now?" }]] }
        return turn === 4 ? waiting : { text: "done" }
      },
      (turn) => {
        if (turn === 1) return write("first.txt", "first\n")
        if (turn === 3)
          return {
            calls: [
              ["Read", { file_path: "first.txt" }],
              ["Write", { file_path: "second.txt", content: "2\n" }],
            ],
          }
        return { text: `answer ${turn}` }
      },
    )
    const id = await harness.start({ prompt: "PARENT" })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    const child = await childOf(id)
    expect((await readToolResults(harness, child))[1]).toContain("first")
    const { worktree } = await harness.client.info(child)
    expect(worktree?.files.map(({ path }) => path)).toEqual(["first.txt", "second.txt"])
    expect(left()).toEqual([])
  })

  it("is refused outside of a repository and from outside of a run, with what to do", async () => {
    harness = await openHarness({
      config: { agents: { coder: { prompt: "You code.", worktree: true } } },
      model: createTreeModel(
        (turn) => (turn === 1 ? spawn : turn === 2 ? waiting : { text: "done" }),
        () => ({ text: "never" }),
      ),
    })
    const { client, cwd, start } = harness
    const id = await start({ prompt: "PARENT" })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    expect((await readAnnouncements(harness, id))[0]).toMatch(
      /error: invalid_argument: a git worktree needs a git repository/,
    )
    await expect(start({ agent: "coder" })).rejects.toMatchObject({ code: "invalid_argument" })
    await expect(
      client.spawn({
        call: {
          tool: "sessions_spawn",
          input: { task: "x", worktree: true, thread: false, cleanup: "keep", sandbox: "inherit" },
        },
        caller: "test",
        cwd,
        actor,
      }),
    ).rejects.toThrow(/only a sub-agent of an agent can work in a git worktree/)
  })
})

describe("no part of a worktree is left", () => {
  it("after its sub-agent is cancelled; what was changed is kept as a diff", async () => {
    await open((turn) => (turn === 1 ? spawn : waiting), hanging)
    const id = await harness.start({ prompt: "PARENT" })
    const child = await childOf(id)
    await eventually(() => isAtWork(child))
    expect(left()).toHaveLength(3)
    await harness.client.cancel(id, actor)
    await eventually(async () => (await harness.handle(child).describe()).status.name === "CANCELLED")
    expect(left()).toEqual([])
    const { worktree } = await harness.client.info(child)
    expect(worktree).toMatchObject({ status: "changed", files: [{ path: "half.txt" }] })
    expect(git(harness.cwd, "status", "--porcelain")).toBe("")
  })

  it("after it is deleted", async () => {
    await open((turn) => (turn === 1 ? spawn : waiting), hanging)
    const id = await harness.start({ prompt: "PARENT" })
    const child = await childOf(id)
    await eventually(() => isAtWork(child))
    await harness.client.delete(id, actor)
    await eventually(() => left().length === 0)
    expect(await harness.store.worktrees.readPatch(child)).toBeUndefined()
  })

  it("after it is terminated in Temporal: the machine's next worker removes it, and keeps the diff", async () => {
    await open((turn) => (turn === 1 ? spawn : waiting), hanging)
    const id = await harness.start({ prompt: "PARENT" })
    const child = await childOf(id)
    await eventually(() => isAtWork(child))
    await harness.stopWorker()
    await harness.handle(child).terminate()
    await harness.handle(id).terminate()
    await harness.client.wait(child)
    expect(left()).toHaveLength(3)
    await harness.startWorker()
    expect(left()).toEqual([])
    expect((await harness.client.info(child)).worktree).toMatchObject({
      status: "changed",
      files: [{ path: "half.txt" }],
    })
  })
})
