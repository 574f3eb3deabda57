import { appendFile, chmod, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TranscriptRowBody } from "../../../contracts/http/sessions.ts"
import { eventually } from "../../helpers/eventually.ts"
import { describeInDeepRun } from "../../helpers/effort.ts"
import { createProject, type Ended, type ProjectDirectory } from "./program.ts"
import { type RemoteProject, startServer } from "./remote-project.ts"

const spawn = (id: string, task: string, label: string) => ({
  tool_calls: [{ id, name: "sessions_spawn", arguments: { task, label } }],
})

const conversations = [
  {
    when: { user: "^Delegate" },
    turns: [
      { reply: spawn("tc_spawn", "Survey the docs", "docs") },
      { reply: { text: "Started." } },
      {
        reply: {
          tool_calls: [{ id: "tc_send", name: "sessions_send", arguments: { sessionKey: "docs", message: "Again" } }],
        },
      },
      { repeat: 9, reply: { text: "All is surveyed." } },
    ],
  },
  { when: { user: "^Survey the docs" }, turns: [{ repeat: 9, reply: { text: "Surveyed." } }] },
  {
    when: { user: "^Let someone write" },
    turns: [{ reply: spawn("tc_writer", "Write it", "writer") }, { repeat: 9, reply: { text: "Started." } }],
  },
  {
    when: { user: "^Write it" },
    turns: [
      { reply: { tool_calls: [{ id: "tc_write", name: "Write", arguments: { file_path: "a.txt", content: "a" } }] } },
      { repeat: 9, reply: { text: "Written." } },
    ],
  },
  {
    when: { user: "^Use two helpers" },
    turns: [
      {
        reply: {
          tool_calls: ["first", "second"].map((label) => ({
            id: `tc_${label}`,
            name: "sessions_spawn",
            arguments: { task: "Help", label, cleanup: label === "first" ? "delete" : "keep" },
          })),
        },
      },
      { repeat: 9, reply: { text: "Both have helped." } },
    ],
  },
  { when: { user: "^Help" }, turns: [{ repeat: 9, reply: { text: "Helped." } }] },
  {
    when: { user: "^Orchestrate" },
    turns: [{ reply: spawn("tc_lead", "Lead the team", "lead") }, { repeat: 9, reply: { text: "It is done." } }],
  },
  {
    when: { user: "^Lead the team" },
    turns: [
      { reply: spawn("tc_middle", "Pass it on", "middle") },
      { reply: { text: "Passed on." } },
      {
        reply: {
          tool_calls: [
            { id: "tc_all", name: "sessions_list", arguments: {} },
            { id: "tc_below", name: "sessions_list", arguments: { parent: "middle" } },
            { id: "tc_label", name: "sessions_history", arguments: { sessionKey: "bottom" } },
            { id: "tc_outside", name: "sessions_history", arguments: { sessionKey: "outsider" } },
          ],
        },
      },
      {
        reply: {
          tool_calls: [
            {
              id: "tc_history",
              name: "sessions_history",
              arguments: { sessionKey: "{{result:\\| - \\| (\\w+) \\|}}" },
            },
          ],
        },
      },
      { repeat: 9, reply: { text: "All is seen." } },
    ],
  },
  {
    when: { user: "^Pass it on" },
    turns: [{ reply: spawn("tc_bottom", "Do it at last", "bottom") }, { repeat: 9, reply: { text: "Reported." } }],
  },
  { when: { user: "^Do it at last" }, turns: [{ repeat: 9, reply: { text: "It is done at the bottom." } }] },
  { when: { user: "^Ask" }, turns: [{ repeat: 9, reply: { text: "Which colour?" } }] },
]

/** A program that answers with what it got on its standard input. */
const program = `#!/bin/sh
cat
`

const config = `
security: { allowBinaryAgents: true, sandbox: 'off' }
subagents: { maxSpawnDepth: 3 }
agents: { show: { type: binary, command: ./show.sh } }
tools: { policy: { "binary:show": auto } }
`

let project: ProjectDirectory
let remote: RemoteProject
beforeAll(async () => {
  project = await createProject({ main: { conversations } }, { ADJUTANT_TRUST: "1" })
  await writeFile(path.join(project.cwd, "show.sh"), program)
  await chmod(path.join(project.cwd, "show.sh"), 0o700)
  await appendFile(path.join(project.cwd, "adjutant.config.yaml"), config)
  remote = await startServer(project)
})
afterAll(async () => {
  await remote.close()
  await project.remove()
})

const json = ({ stdout }: Ended) => JSON.parse(stdout)
const begin = async (...argv: readonly string[]) => json(await remote.run("run", ...argv, "--output", "json"))

describe("a program as an agent", () => {
  it("gets the context of the command line and of a request apart from its task", async () => {
    const asked = await begin("--agent", "show", "--context", "Counted before.", "Count.")
    expect(JSON.parse(asked.final_message)).toMatchObject({ task: "Count.", context: "Counted before." })
    const headers = { "content-type": "application/json", ...(await project.authorization()) }
    const body = JSON.stringify({ message: "Count.", agent: "show", context: [{ name: "notes", content: "Known." }] })
    const started = await fetch(`${remote.url}/v1/runs`, { method: "POST", headers, body })
    const { session_id } = (await started.json()) as { readonly session_id: string }
    const outcome = await fetch(`${remote.url}/v1/sessions/${session_id}/outcome?wait_seconds=50`, { headers })
    const { final_message } = (await outcome.json()) as { readonly final_message: string }
    expect(JSON.parse(final_message)).toMatchObject({ task: "Count.", context: "# notes\nKnown." })
  })
})

describe("adjutant info", () => {
  it("shows how a sub-agent was started, each of its runs, and what it used of its limits", async () => {
    const parent = await begin("Delegate the survey")
    expect(parent).toMatchObject({ outcome: "completed", final_message: "All is surveyed." })
    const log = (await remote.run("log", parent.task_id, "--tools")).stdout
    const [spawned = "", sent = ""] = log.match(/\brun_\w+/g) ?? []
    expect(log).toContain(`Started run ${sent} of `)
    const { stdout } = await remote.run("info", "docs", "--parent", parent.task_id)
    expect(stdout).toMatch(/^label {7}docs$/m)
    expect(stdout).toMatch(/^key {9}agent:general:subagent:\w+$/m)
    expect(stdout).toMatch(/^mode {8}run, cleanup keep$/m)
    expect(stdout).toMatch(/^transcript {2}adjutant:\/\/sessions\/\w+\/transcript$/m)
    for (const run of [spawned, sent])
      expect(stdout).toMatch(new RegExp(`^run {9}${run} completed, started .+, ended .+$`, "m"))
    expect(stdout).toMatch(/^limits {6}1 of \d+ steps · /m)
  })

  it("shows the question of a task that waits for an answer", async () => {
    const { outcome, task_id } = await begin("--pause-on-approval", "Ask me")
    expect(outcome).toBe("paused")
    expect((await remote.run("info", task_id)).stdout).toContain("waiting for an answer:\n  Which colour?")
  })
})

describeInDeepRun("an archived sub-agent", () => {
  it("is found with --archived, and the others keep their numbers", async () => {
    const { task_id: parent } = await begin("Use two helpers")
    const list = async (
      ...flags: readonly string[]
    ): Promise<readonly { id: string; label: string; number: number }[]> =>
      json(await remote.run("list", ...flags, "--output", "json")).items
    const labelsOf = async (...flags: readonly string[]) =>
      (await list("--parent", parent, ...flags)).map(({ label, number }) => [label, number])
    await eventually(async () => (await labelsOf("--archived")).length > 0)
    expect(await labelsOf("--archived")).toEqual([["first", 1]])
    expect(await labelsOf()).toEqual([["second", 2]])
    const labelOf = async (target: string) =>
      json(await remote.run("info", target, "--parent", parent, "--output", "json")).label
    expect([await labelOf("#1"), await labelOf("#2")]).toEqual(["first", "second"])
    expect((await remote.run("info", "#3", "--parent", parent)).code).toBe(2)
    // A session that a person started stays listed.
    expect((await list()).map(({ id }) => id)).toContain(parent)
  })
})

describeInDeepRun("adjutant approvals --root", () => {
  it("lists what a sub-agent waits for, and not what other tasks wait for", async () => {
    const { task_id, pause_reason } = await begin("--pause-on-approval", "Let someone write")
    const [call] = pause_reason.pending_tool_calls
    expect(call.task_id).not.toBe(task_id)
    const listed = async (root: string) =>
      json(await remote.run("approvals", "--root", root, "--output", "json")).items.map(
        ({ session_id }: { readonly session_id: string }) => session_id,
      )
    expect(await listed(call.task_id)).toEqual([call.task_id])
    expect(await listed(task_id)).toEqual([call.task_id])
    const { task_id: other } = await begin("Delegate the survey")
    expect(await listed(other)).toEqual([])
    for (const unknown of ["nobody", "writer"])
      expect((await remote.run("approvals", "--root", unknown)).code).not.toBe(0)
  })
})

describeInDeepRun("an orchestrator", () => {
  beforeAll(() => begin("--label", "outsider", "Survey the docs"))

  it("lists and reads the sessions below its own sub-agents, and no others", async () => {
    const started = await begin("Orchestrate it")
    expect(started).toMatchObject({ outcome: "completed", final_message: "It is done." })
    const childOf = async (parent: string): Promise<string> =>
      json(await remote.run("list", "--parent", parent, "--output", "json")).items[0].id
    const lead = await childOf(started.task_id)
    const middle = await childOf(lead)
    const bottom = await childOf(middle)
    const rows = json(await remote.run("log", lead, "--tools", "--output", "json"))
      .items as readonly TranscriptRowBody[]
    const resultOf = (call: string): string =>
      rows.flatMap(({ message }) =>
        message.role === "tool" && message.call_id === call ? [message.content] : [],
      )[0] ?? ""
    expect(resultOf("tc_all")).toContain(middle)
    expect(resultOf("tc_all")).toContain(bottom)
    expect(resultOf("tc_below")).toContain(bottom)
    expect(resultOf("tc_below")).not.toContain(middle)
    expect(resultOf("tc_label")).toContain("no sub-agent of yours is bottom")
    expect(resultOf("tc_history")).toContain("It is done at the bottom.")
    expect(resultOf("tc_outside")).toContain("outsider")
    expect(resultOf("tc_outside")).not.toContain("Surveyed")
  })
})
