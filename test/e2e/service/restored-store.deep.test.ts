import { readFile } from "node:fs/promises"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { Client, Connection } from "@temporalio/client"
import { expect, it } from "vitest"
import { isServerRecord } from "../../../server/keeper/server-record.ts"
import { readWhole, serverFiles } from "../../../server/process/server-files.ts"
import { openStore } from "../../../store/open-store.ts"
import { askEngine } from "../../chaos/checks/played-history.ts"
import { eventually } from "../../helpers/eventually.ts"
import { checkHistory } from "../../helpers/history/check-history.ts"
import type { Effect, Told } from "../../helpers/history/history.ts"
import { readSessions } from "../../helpers/history/read-history.ts"
import { createProject, type Ended } from "../cli/program.ts"

// A backup is made in the middle of tasks, and restored after they have ended. What came after the backup is missing, and the user who restores it is told
// what is there; nothing happens again without a decision.

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } })
const calls = (...tool_calls: readonly unknown[]) => ({ reply: { tool_calls } })
const count = (name: string): string => `echo ${name} >> ran`

const main = {
  turns: [
    calls(bash("a", count("a"))),
    calls(bash("b", count("b"))),
    calls({ id: "f", name: "finish", arguments: { result: "Done." } }),
  ],
}
const cut = { turns: [calls(bash("c", `${count("c")}; sleep 600`)), { reply: { text: "Ended." } }] }

const documentOf = ({ code, stdout, stderr }: Ended, expected: number): Record<string, string> => {
  expect(code, stderr).toBe(expected)
  return JSON.parse(stdout) as Record<string, string>
}

/** Compares the sessions of a data directory whose service runs with what was told and done. */
const check = async (dataDir: string, told: Told, effects: readonly Effect[]) => {
  const address = readWhole(serverFiles(dataDir).record, isServerRecord)?.address ?? ""
  const connection = await Connection.connect({ address })
  const store = await openStore({ url: "sqlite:", dataDir })
  try {
    const ids = told.messages.map(({ sessionId }) => sessionId)
    const sessions = await readSessions(store, askEngine(new Client({ connection })), ids)
    const outcomes = sessions.flatMap(({ rows }) =>
      rows.map(({ message }) => message).filter(({ role }) => role === "tool"),
    )
    return { violations: checkHistory({ told, effects, sessions }), outcomes }
  } finally {
    await store.close()
    await connection.close()
  }
}

it("a store that is restored from the middle of tasks says what it has, and repeats nothing by itself", async () => {
  await using project = await createProject({ main, cut })
  const json = ["--output", "json"] as const
  const ran = async () =>
    (await readFile(path.join(project.cwd, "ran"), "utf8").catch(() => "")).split("\n").slice(0, -1)
  const restored = path.join(path.dirname(project.cwd), "restored")
  const inCopy = (...argv: readonly string[]) => project.run("--data-dir", restored, ...argv)

  const first = documentOf(await project.run("run", "--pause-on-approval", "go", ...json), 10)
  const { task_id: task = "" } = first
  const second = documentOf(await project.run("run", "-c", first["checkpoint_id"] ?? "", "--approve-all", ...json), 10)
  const held = project.start("run", "cut it", "--model", "cut", ...json)
  await eventually(async () => (await ran()).includes("c"), { timeoutMs: 60_000 })
  expect((await project.run("service", "stop", "--now")).code).toBe(0)
  const { task_id: cutTask = "" } = JSON.parse((await held.ended).stdout) as Record<string, string>
  expect((await project.run("backup", "middle.tgz")).code).toBe(0)
  expect(await ran()).toEqual(["a", "c"])

  // The original continues: this is what the backup lacks.
  const checkpoint = second["checkpoint_id"] ?? ""
  documentOf(await project.run("run", "-c", checkpoint, "--approve-all", ...json), 0)
  const late = documentOf(await project.run("run", "--pause-on-approval", "too late", ...json), 10)
  expect((await project.run("service", "stop", "--now")).code).toBe(0)
  expect(await ran()).toEqual(["a", "c", "b"])

  const told = await inCopy("restore", "middle.tgz")
  expect([told.code, told.stdout], told.stderr).toEqual([
    0,
    expect.stringContaining('Every task is stopped until "adjutant resume" continues it'),
  ])
  expect(told.stderr).toMatch(/tasks: .*1 paused/)
  expect((await inCopy("service", "start")).code).toBe(0)
  await delay(5_000)
  expect(await ran()).toEqual(["a", "c", "b"])
  expect((await inCopy("info", late["task_id"] ?? "")).code).toBe(2)
  const listed = JSON.parse((await inCopy("list", ...json)).stdout) as { items: { id: string; status: string }[] }
  expect(listed.items.map(({ id }) => id).toSorted()).toEqual([task, cutTask].toSorted())
  expect(listed.items.find(({ id }) => id === task)).toMatchObject({ status: "paused" })

  documentOf(await inCopy("run", "-c", checkpoint, "--approve-all", ...json), 0)
  documentOf(await inCopy("resume", cutTask, "continue", ...json), 0)
  // One more by the decision in the copy; the call that was cut did not run again.
  expect(await ran()).toEqual(["a", "c", "b", "b"])
  const decided = ["a", "b"].map((callId) => ({ sessionId: task, callId, action: "accept" as const }))
  const messages = [
    { sessionId: task, text: "go" },
    { sessionId: cutTask, text: "cut it" },
  ]
  const ofCopy = ["a", "c", "b"].map((key) => ({ key }))
  const compare = () => check(restored, { messages, decisions: decided, cancels: [] }, ofCopy)
  await eventually(async () => (await compare()).violations.length === 0).catch(() => undefined)
  const { violations, outcomes } = await compare()
  expect(violations).toEqual([])
  // The call that was cut says so.
  expect(outcomes).toContainEqual(expect.objectContaining({ call_id: "c", outcome: "unknown" }))
  await inCopy("service", "stop", "--now")
})
