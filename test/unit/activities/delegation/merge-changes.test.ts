import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import { delegationKey, type DelegationCall } from "../../../../activities/delegation/delegation-call.ts"
import { mergeChanges } from "../../../../activities/delegation/merge-changes.ts"
import { shownChanges } from "../../../../activities/worktree/preview-merge.ts"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import type { WorktreeFile } from "../../../../contracts/delegation/worktree.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import type { WorkerPolicy } from "../../../../domain/approval/worker-policy.ts"
import { checkChange } from "../../../../tools/files/confined-path.ts"
import type { MergeResult } from "../../../../tools/worktree/apply-patch.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"
import { newSession, storeWithSession } from "../../store/store-fixture.ts"

const tree = "a".repeat(40)
const added = (path: string): WorktreeFile => ({ path, change: "added", added: 1, deleted: 0 })
const partial: MergeResult = { kind: "partial", reason: "made.txt: No space left on device" }
const conflict: MergeResult = { kind: "conflict", reason: "made.txt: patch does not apply" }
const applied: MergeResult = { kind: "applied" }

interface Changed {
  readonly cwd: string
  readonly paths: readonly string[]
}

/** What a merge is judged by, besides its changes. */
interface Around {
  readonly run?: Partial<RunSnapshot>
  readonly workerPolicy?: WorkerPolicy
  readonly endProblem?: string
}

/** Opens a store in which the sub-agent `c1` of the session `s1` has ended with changes, and returns how `s1` merges them. */
const openMergeOf = async ({ cwd, paths }: Changed, ...results: readonly (MergeResult | Error)[]) => {
  const store = await storeWithSession()
  const { worktrees } = store
  await store.sessions.create(newSession("c1", { parentId: "s1", rootId: "s1", depth: 1 }))
  const place = { sessionId: "c1", machine: "m", path: "/data/worktrees/k/adjutant-k", source: cwd }
  const details = { files: paths.map(added), diff: "+x\n", is_cut: false, left_out: [], problem: null }
  await worktrees.open(place)
  await worktrees.end("c1", { status: "changed", tree, details, patch: Buffer.from("+x\n") })
  const left = [...results]
  const deps = {
    store,
    redact: (text: string) => text,
    directoryProblem: async () => undefined,
    checkChange: (_: unknown, path: string) => checkChange(path, { cwd, dataDir: join(cwd, ".adjutant") }),
    worktrees: {
      merge: async () => {
        const next = left.shift()
        if (next === undefined || next instanceof Error) throw next ?? new Error("merged once too often")
        return next
      },
    },
  } as unknown as AgentDependencies
  const snapshot: RunSnapshot = { ...baseSnapshot, cwd, tools: [] }
  /** Shows people a diff with the call of a number. */
  const show = async (number: number, patch = "+x\n"): Promise<void> => {
    const watched = shownChanges("c1", tree, Buffer.from(patch))
    const preview = { summary: "sessions_merge c1", flags: [] }
    await store.callPreviews.put("s1", [{ seq: number, callId: `call_${number}`, preview, watched }])
  }
  const callOf = (number: number) => {
    const call = { id: `call_${number}`, name: "sessions_merge", arguments: { sessionKey: "c1", tree } }
    return {
      call,
      input: { sessionId: "s1", runId: "r1", callId: call.id, resultSeq: number },
    } as unknown as DelegationCall
  }
  /** Merges as the call with a number. Returns the answer, or why people are asked again. */
  const merge = async (
    number: number,
    more: Partial<DelegationCall["input"]> = {},
    { workerPolicy, run, ...around }: Around = {},
  ): Promise<string> => {
    const { call, input: own } = callOf(number)
    const input = { ...own, ...more }
    const judgedBy = { deps: { ...deps, workerPolicy }, snapshot: { ...snapshot, ...run } }
    const outcome = await mergeChanges({ ...judgedBy, ...around, call, input } as unknown as DelegationCall)
    if ("content" in outcome) return outcome.content
    return outcome.kind === "changed" ? `${outcome.changesProtected === true ? "by id: " : ""}${outcome.changed}` : ""
  }
  for (const number of [1, 2]) await show(number)
  return { store, merge, show, key: (number: number) => delegationKey(callOf(number)) }
}

const project = (): string => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-merge-")))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  return cwd
}

const openMerge = (...results: readonly (MergeResult | Error)[]) =>
  openMergeOf({ cwd: project(), paths: ["made.txt"] }, ...results)

describe("a merge that fails before git writes leaves the changes to the next call", () => {
  test.each([
    ["a conflict", conflict],
    ["a refusal", new AdjutantError("invalid_argument", "git is not installed on this machine")],
    ["an error", new Error("git apply was stopped: SIGKILL")],
  ])("after %s", async (_, result) => {
    const { store, merge } = await openMerge(result, applied)
    await expect(merge(1)).rejects.toThrow(/nothing was changed|git/)
    expect(await store.worktrees.get("c1")).toMatchObject({ status: "changed", mergeKey: null })
    expect(await merge(2)).toMatch(/^The changes are in your files/)
  })
})

describe("changes that git has perhaps applied in part are not merged again", () => {
  const howToContinue = /look at the files, and either make the rest of the changes yourself, or .* send c1 a message/

  test("after a failure while git wrote, and the agent is told how to continue", async () => {
    const { merge } = await openMerge(partial)
    await expect(merge(1)).rejects.toThrow(/perhaps applied in part \(made.txt: No space left on device\)/)
    await expect(merge(2)).rejects.toThrow(howToContinue)
  })

  test("after an interrupted attempt of the same call, whose files do not fit any more", async () => {
    const { store, merge, key } = await openMerge(conflict)
    await store.worktrees.beginMerge("c1", { tree, key: key(1) })
    const again = merge(1)
    await expect(again).rejects.toThrow(/perhaps applied in part/)
    await expect(again).rejects.toThrow(howToContinue)
    expect(await store.worktrees.get("c1")).toMatchObject({ status: "changed", mergeKey: key(1) })
  })

  test("after an interrupted attempt whose changes are all there, they are recorded", async () => {
    const { store, merge, key } = await openMerge({ kind: "present" })
    await store.worktrees.beginMerge("c1", { tree, key: key(1) })
    expect(await merge(1)).toMatch(/^The changes are in your files/)
    expect(await store.worktrees.get("c1")).toMatchObject({ status: "merged" })
  })
})

describe("what no file tool may write is not merged, either", () => {
  const changed = (...paths: readonly string[]): Changed => {
    const cwd = project()
    mkdirSync(join(cwd, ".adjutant"))
    symlinkSync("/tmp", join(cwd, "out"))
    symlinkSync(".git", join(cwd, "data"))
    writeFileSync(join(cwd, "file"), "")
    return { cwd, paths }
  }

  test.each([".adjutant/adjutant.config.yaml", "out/evil.txt", "out", "data/config"])("%s", async (path) => {
    const { store, merge } = await openMergeOf(changed("made.txt", path), applied)
    await expect(merge(1)).rejects.toThrow(`${path} cannot be merged: `)
    expect(await store.worktrees.get("c1")).toMatchObject({ status: "changed", mergeKey: null })
  })

  test.each([
    ["a protected file in the place of a file", ["made.txt", "file/.envrc"], "file/.envrc"],
    ["a git directory in several files", ["vendor/x/HEAD", "vendor/x/objects/1", "vendor/x/refs/main"], "vendor/x"],
  ])("%s needs a person", async (_, paths, shown) => {
    const { merge } = await openMergeOf(changed(...paths), applied)
    await expect(merge(1)).rejects.toThrow(`the protected path ${shown}, and nobody has approved that; propose`)
    expect(await merge(1, { canAskAgain: true })).toMatch(`by id: the call changes the protected path ${shown}`)
    expect(await merge(1, { mayChangeProtected: true })).toMatch(/^The changes are in your files/)
  })

  test("a directory in the place of a file is merged", async () => {
    const { merge } = await openMergeOf(changed("file/made.txt"), applied)
    expect(await merge(1)).toMatch(/^The changes are in your files/)
  })
})

test("an approval is for the diff that was shown, not for another one that leads to the same tree, or one that nobody saw", async () => {
  const { store, merge, show } = await openMerge(applied)
  await show(1, "-y\n+x\n")
  await expect(merge(1)).rejects.toThrow(/are not those that were shown with this call/)
  expect(await merge(1, { canAskAgain: true })).toMatch(/^the changes of c1 are not those that were shown/)
  expect(await merge(3, { canAskAgain: true })).toMatch(/^nobody was shown the changes of c1/)
  expect(await store.worktrees.get("c1")).toMatchObject({ status: "changed", mergeKey: null })
  expect(await merge(2)).toMatch(/^The changes are in your files/)
})

describe("a merge does not run around the gate", () => {
  const all: Around = { run: { approval: "all" } }
  const unasked = { isUnasked: true, canAskAgain: true }
  const never = { sandbox: "off", policy: { sessions_merge: "never" } } as const

  // The rig has no result of git to give: it would throw if it were called.
  test.each<readonly [string, Partial<DelegationCall["input"]>, Around, string]>([
    ["policy asks, and nobody was asked", unasked, {}, "policy asks about sessions_merge"],
    ["the run may approve less by now", unasked, { run: { approval: ["Bash"] } }, "policy asks about sessions_merge"],
    [
      "the worker asks",
      unasked,
      { workerPolicy: { sandbox: "off", policy: { Write: "prompt" } } },
      "asks about sessions_merge",
    ],
    ["policy never allows it", unasked, { run: { policy: { Write: "never" } } }, "never allows sessions_merge"],
    [
      "the worker never allows it",
      {},
      { ...all, workerPolicy: never },
      "the worker that executes this run never allows it",
    ],
    ["the worker never writes files", {}, { workerPolicy: { ...never, policy: { Edit: "never" } } }, "never allows it"],
    ["the answer was cut", unasked, { ...all, endProblem: "not run: the answer was cut" }, "the answer was cut"],
    ["nobody saw its changes", { resultSeq: 3, canAskAgain: true }, {}, "nobody was shown the changes of c1"],
  ])("%s", async (_, input, around, why) => {
    const { store, merge } = await openMerge()
    await expect(merge(1, input, around).catch((error: Error) => error.message)).resolves.toContain(why)
    expect(await store.worktrees.get("c1")).toMatchObject({ status: "changed", mergeKey: null })
  })

  test("a protected path, in a run for which all calls were approved beforehand", async () => {
    const { store, merge } = await openMergeOf({ cwd: project(), paths: [".envrc"] })
    await expect(merge(1, unasked, all)).rejects.toThrow("only a person can approve")
    expect(await store.worktrees.get("c1")).toMatchObject({ status: "changed", mergeKey: null })
    expect(await store.audit.list({ sessionId: "s1" })).toMatchObject([
      { action: "refuse", detail: { tool: "sessions_merge" } },
    ])
  })
})
