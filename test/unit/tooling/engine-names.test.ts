import path from "node:path"
import { describe, expect, it } from "vitest"
import { createActivities } from "../../../activities/index.ts"
import { laneSignalNames } from "../../../domain/lane/lane-message.ts"
import { readProductSources, type SourceFile } from "../../../scripts/structure/product-sources.ts"
import { scanTokens, type Token } from "../../../scripts/lint/scan-tokens.ts"
import * as workflows from "../../../workflows/index.ts"

/**
 * Names that are stored in histories. A running session replays its history with the current code, and a
 * client of another version sends messages under these names: renaming or removing one breaks both. New names
 * are added here; existing names never change.
 */
const frozen = {
  workflows: ["binaryAgent", "delivery", "lane", "llmAgent", "mcpBridgeAgent", "reconcile", "scheduledRun"],
  activities: [
    "acquireSlot",
    "answerDelegation",
    "attributeDecision",
    "attributeMessages",
    "auditOperatorSignals",
    "callModel",
    "cancelScheduled",
    "checkBinding",
    "checkEdits",
    "closeRun",
    "closeWorktree",
    "compact",
    "deliver",
    "findEndedHolders",
    "giveUpDelivery",
    "hasScheduledEnded",
    "openPause",
    "openRun",
    "openWorktree",
    "prepareDelegation",
    "previewCalls",
    "proposeCall",
    "reachMachine",
    "reconcileSessions",
    "recordDecisions",
    "releaseBinding",
    "releaseSlot",
    "reportRun",
    "reportToThread",
    "requestStop",
    "runHooks",
    "runTool",
    "sayInThread",
    "settleChild",
    "showBlocked",
    "showQueued",
    "showWaiting",
    "startOpenSession",
    "startScheduled",
    "stopBackground",
    "writeResult",
  ],
  signals: [
    "acquire",
    "approve",
    "binding",
    "child",
    "decide",
    "inbox",
    "input",
    "reject",
    "release",
    "retry",
    "setModel",
    "slot",
    "steer",
  ],
  updates: ["decide", "send", "setModel", "steer", "withdraw"],
  queries: ["pending", "queue", "status", "tree", "usage"],
  patches: [
    "all-leaves-protected-pending",
    "clock-looks",
    "empty-answers-are-asked-for",
    "finish-waits-for-sub-agents",
    "no-progress-ends",
    "open-sessions-continue",
    "outage-counts-work",
    "questions-have-one-answer",
    "reports-before-continuing",
    "steps-end-with-an-answer",
    "thread-messages-begin-runs",
    "told-pauses-end-no-wait",
  ],
  workflowIds: ["subagent/s1", "delivery/d1", "lane/adjutant-s1"],
  taskQueues: ["adjutant-s1", "adjutant-s1@place"],
}

const root = path.resolve(import.meta.dirname, "../../..")
const sources = readProductSources(root)

/** Returns the value of the constant with that name, from whichever file exports it. */
const exported = async (name: string, declaring: readonly SourceFile[] = sources): Promise<unknown> => {
  const files = declaring.filter(({ text }) => new RegExp(`^export (?:const|function) ${name}\\b`, "m").test(text))
  if (files.length !== 1) throw new Error(`${files.length} files export ${name}`)
  const module = (await import(path.join(root, files[0]!.file))) as Record<string, unknown>
  return module[name]
}

/** Returns the first argument of a call whose callee ends before the index, skipping type arguments. */
const firstArgument = (tokens: readonly Token[], at: number): readonly Token[] => {
  let depth = 0
  for (let index = at; index < tokens.length; index += 1) {
    const { text, kind } = tokens[index]!
    if (kind === "mark" && text === "<") depth += 1
    else if (kind === "mark" && text === ">") depth -= 1
    else if (depth === 0) {
      if (text !== "(") return []
      const rest = tokens.slice(index + 1)
      return rest.slice(
        0,
        rest.findIndex((token) => token.kind === "mark" && /^[,)]$/.test(token.text)),
      )
    }
  }
  return []
}

/** Returns the names that calls of a function pass: literals, and the values of constants. */
const namesGivenTo = async (
  callees: readonly string[],
  from: readonly SourceFile[] = sources,
  declaring: readonly SourceFile[] = sources,
): Promise<readonly string[]> => {
  const names: string[] = []
  for (const { file, text } of from) {
    const tokens = scanTokens(text)
    for (const [at, token] of tokens.entries()) {
      if (token.kind !== "word" || !callees.includes(token.text) || !/^[<(]$/.test(tokens[at + 1]?.text ?? "")) continue
      const [first, ...rest] = firstArgument(tokens, at + 1)
      if (first?.kind === "string" && rest.length === 0) names.push(first.text)
      else if (first?.kind === "word" && rest.every(({ kind, text: word }) => kind === "word" || word === ".")) {
        let value = await exported(first.text, declaring)
        for (const { text: key } of rest.filter(({ kind }) => kind === "word"))
          value = (value as Record<string, unknown>)[key]
        names.push(String(value))
      } else throw new Error(`${file}:${token.line}: ${token.text} is given a name that cannot be read`)
    }
  }
  return [...new Set(names)].toSorted()
}

/** Replaces whatever an activity's factory asks for; no activity runs. */
const anything: never = new Proxy(() => anything, { get: () => anything }) as never

describe("names in histories", () => {
  it("workflow types never change", () => {
    expect(Object.keys(workflows).toSorted()).toEqual(frozen.workflows)
  })

  it("activity names never change", () => {
    expect(Object.keys(createActivities(anything)).toSorted()).toEqual(frozen.activities)
  })

  it("signal names never change", async () => {
    expect(await namesGivenTo(["defineSignal"])).toEqual(frozen.signals)
  })

  it("update names never change", async () => {
    expect(await namesGivenTo(["defineUpdate"])).toEqual(frozen.updates)
  })

  it("query names never change", async () => {
    expect(await namesGivenTo(["defineQuery"])).toEqual(frozen.queries)
  })

  it("patch names never change", async () => {
    expect(await namesGivenTo(["patched", "deprecatePatch"])).toEqual(frozen.patches)
  })

  it("workflow ids and task queues never change", async () => {
    const name = async (made: string, ...args: readonly string[]) =>
      ((await exported(made)) as (...given: readonly string[]) => string)(...args)
    const queue = await name("taskQueueOf", "s1")
    expect([queue, await name("workspaceQueueOf", queue, "place")]).toEqual(frozen.taskQueues)
    expect([
      await name("sessionWorkflowId", "s1"),
      await name("deliveryWorkflowId", "d1"),
      await name("laneWorkflowId", queue),
    ]).toEqual(frozen.workflowIds)
  })
})

describe("reading names from sources", () => {
  /** Any file with a constant that has a property. */
  const declaring: SourceFile = { file: "domain/lane/lane-message.ts", text: "export const laneSignalNames = {}" }

  const read = async (text: string) =>
    await namesGivenTo(["patched", "defineQuery"], [{ file: "a.ts", text }], [declaring])

  it("finds literals on later lines and after type arguments", async () => {
    expect(await read(`if (!patched(\n  "one",\n)) return`)).toEqual(["one"])
    expect(await read(`defineQuery<Record<string, () => Row[]>, [number]>("two")`)).toEqual(["two"])
    expect(await read(`// patched("three")\nconst text = 'patched("four")'\nimport { patched } from "x"`)).toEqual([])
  })

  it("resolves constants, and rejects expressions that it cannot resolve", async () => {
    expect(await read("patched(laneSignalNames.acquire)")).toEqual([laneSignalNames.acquire])
    await expect(read('patched(`a-${"b"}`)')).rejects.toThrow("a.ts:1: patched")
    await expect(read("patched(noSuchConstant)")).rejects.toThrow("0 files export noSuchConstant")
  })
})
