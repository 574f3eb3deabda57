import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createChatCalls, readWireMessages } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import type { RecordedRequest } from "../../helpers/providers/fake-provider-server.ts"
import { initRepository, textOf, worktreesLeft } from "../../helpers/worktree-repository.ts"
import { type CrashRig, openCrashRig } from "./crash-rig.ts"

const textsOf = (request: RecordedRequest): string =>
  readWireMessages(request)
    .map(({ content }) => String(content))
    .join("\n")

const isParent = (request: RecordedRequest): boolean => textsOf(request).includes("PARENT")

const merge = (request: RecordedRequest): Readonly<Record<string, unknown>> =>
  JSON.parse(/sessions_merge (\{[^}]*\})/.exec(textsOf(request))?.[1] ?? "{}") as Readonly<Record<string, unknown>>

/** A parent whose sub-agent writes a file in its worktree, and who merges it. */
const respond = (turn: number, request: RecordedRequest) => {
  if (!isParent(request))
    return turn === 1
      ? createChatCalls(1, ["Write", { file_path: "made.txt", content: "made\n" }])
      : createChatText("I made it.")
  if (turn === 1) return createChatCalls(1, ["sessions_spawn", { task: "Make a file.", worktree: true }])
  if (turn === 2) return createChatText("waiting")
  return turn === 3 ? createChatCalls(3, ["sessions_merge", merge(request)]) : createChatText("All merged.")
}

const expectMerged = async (rig: CrashRig, id: string): Promise<void> => {
  await eventually(async () => (await rig.client.info(id)).status === "completed", { timeoutMs: 90_000 })
  expect(textOf(rig.cwd, "made.txt")).toBe("made\n")
  expect(worktreesLeft(rig.cwd, rig.dataDir)).toEqual([])
  const { events } = await rig.store.events.read(id, { after: 0, limit: 1_000 })
  expect(events.filter(({ type }) => type === "run-finished")).toHaveLength(1)
}

describe.concurrent("a worker killed by SIGKILL while a sub-agent", () => {
  it.each([
    ["gets its worktree", { method: "worktrees.open", when: "before" }],
    ["has stored what it changed", { method: "worktrees.end", when: "after" }],
    ["is merged", { method: "worktrees.endMerge", when: "before" }],
  ] as const)("%s loses no change, merges it once and leaves no worktree", async (_, crashAt) => {
    await using rig = await openCrashRig({ respond })
    initRepository(rig.cwd, { "a.txt": "one\n" })
    const first = await rig.worker({ crashAt })
    const id = await rig.start({ prompt: "PARENT" })
    expect(await first.ended).toMatchObject({ signal: "SIGKILL" })
    expect(existsSync(join(rig.cwd, "made.txt"))).toBe(crashAt.method === "worktrees.endMerge")
    await rig.worker()
    await expectMerged(rig, id)
  })
})
