import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { boundDiff } from "../../../../domain/workspace/worktree/worktree-changes.ts"
import { createRedact } from "../../../../domain/text/redact.ts"
import { readDiff } from "../../../../sessions/view/read-diff.ts"
import type { EndedWorktree, Store } from "../../../../store/store.ts"
import { storeWithSession } from "../../store/store-fixture.ts"

let store: Store
beforeEach(async () => {
  store = await storeWithSession()
})
afterEach(() => store.close())

const secret = "sk-secret-of-a-provider"
const certificate = "first line of it\nsecond café of it\nend"
const read = () => readDiff({ store, redact: createRedact([secret, certificate]) }, "s1")

/** Ends a run in a worktree with a patch, as its worker does. */
const end = async (
  text: string | Buffer,
  status: EndedWorktree["status"] = "changed",
  problem: string | null = null,
) => {
  const patch = Buffer.from(text)
  const shown = boundDiff(patch.toString("utf8"))
  await store.worktrees.open({ sessionId: "s1", machine: "m1", path: "/worktrees/s1", source: "/project" })
  await store.worktrees.end("s1", {
    status,
    tree: status === "failed" ? null : "4b825d",
    patch: status === "changed" ? patch : null,
    details: { files: [], diff: shown.text, is_cut: shown.isCut, left_out: [], problem },
  })
}
const longPatch = Array.from({ length: 2_000 }, (_, line) => `+line ${line} of a long file\n`).join("")

describe("the diff of a worktree", () => {
  it("is whole, however long it is, and without known secrets", async () => {
    await end(`${longPatch}+key: ${secret}\n`)
    expect(await read()).toEqual({
      ...{ session_id: "s1", status: "changed", tree: "4b825d", encoding: "utf-8", is_whole: true },
      is_redacted: true,
      patch: `${longPatch}+key: [redacted]\n`,
    })
  })

  it("keeps bytes that are no text, and contains no secret of several lines next to them", async () => {
    const bytes = Buffer.concat([
      Buffer.from(`+${secret} caf`),
      Buffer.from([0xe9, 0x0a]),
      Buffer.from(`+${certificate.replaceAll("\n", "\n+")}\n café\n`),
    ])
    await end(bytes)
    const { patch, encoding, is_redacted } = await read()
    expect({ encoding, is_redacted }).toEqual({ encoding: "base64", is_redacted: true })
    const text = Buffer.concat([Buffer.from("+[redacted] caf"), Buffer.from([0xe9, 0x0a])])
    const rest = Buffer.from("+[redacted]\n+[redacted]\n+[redacted]\n café\n")
    expect(Buffer.from(patch, "base64").equals(Buffer.concat([text, rest]))).toBe(true)
  })

  it("says that it contains no secret if nothing was removed, also after the merge", async () => {
    await end("+harmless\n")
    expect(await read()).toMatchObject({ is_redacted: false })
    await store.worktrees.beginMerge("s1", { tree: "4b825d", key: "call 1" })
    await store.worktrees.endMerge("s1", "call 1", true)
    expect(await read()).toMatchObject({ status: "merged", is_redacted: false })
  })

  it("is empty if nothing was changed", async () => {
    await end("", "unchanged")
    expect(await read()).toMatchObject({ status: "unchanged", patch: "", is_whole: true })
  })

  it("has only its beginning after the merge if it is long, and says so", async () => {
    await end(longPatch)
    await store.worktrees.beginMerge("s1", { tree: "4b825d", key: "call 1" })
    await store.worktrees.endMerge("s1", "call 1", true)
    const { patch, status, is_whole } = await read()
    expect({ status, is_whole }).toEqual({ status: "merged", is_whole: false })
    expect(longPatch.startsWith(patch)).toBe(true)
    expect(patch).not.toBe("")
  })

  it("is refused while there is none", async () => {
    await expect(read()).rejects.toMatchObject({ message: expect.stringContaining("s1 has no worktree") })
    await store.worktrees.open({ sessionId: "s1", machine: "m1", path: "/worktrees/s1", source: "/project" })
    await expect(read()).rejects.toMatchObject({ message: "there is no diff of s1: open: the sub-agent works in it" })
    await end("", "failed", "the disk is full")
    await expect(read()).rejects.toMatchObject({ message: expect.stringContaining("the disk is full") })
  })
})
