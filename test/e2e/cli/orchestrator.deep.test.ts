import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execa } from "execa"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../../..")
const example = join(root, "examples/orchestrator")
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "adjutant-orchestrator-"))
})
afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))

const adjutant = (...args: readonly string[]) =>
  execa(process.execPath, [join(root, "bin/adjutant.js"), "--data-dir", join(dataDir, "data"), ...args], {
    cwd: example,
    reject: false,
    env: { TEMPORAL_CONFIG_FILE: join(dataDir, "none.toml") },
  })

describe("the orchestrator example", () => {
  it("pauses for one explorer, continues when it is approved, and writes its synthesis", async () => {
    const first = await adjutant("run", "--pause-on-approval", "--cwd", root, "Map this project", "--output", "json")
    expect(first.exitCode, first.stderr).toBe(10)
    const paused = JSON.parse(first.stdout)
    expect(paused.pause_reason.pending_tool_calls).toMatchObject([{ name: "Grep" }])
    const [{ id: callId, task_id: owner }] = paused.pause_reason.pending_tool_calls
    // A sub-agent's call is decided with the checkpoint of the whole tree.
    const { checkpoint_id: checkpoint } = paused
    const id = `${owner}/${callId}`
    expect(paused.resume_hint).toBe(
      `adjutant run -c ${checkpoint} --approve ${id} --data-dir ${join(dataDir, "data")} --cwd ${root}`,
    )

    const second = await adjutant("run", "-c", checkpoint, "--approve", id, "--output", "json")
    expect(second.exitCode, second.stderr).toBe(0)
    expect(JSON.parse(second.stdout)).toMatchObject({ outcome: "completed", task_id: paused.task_id })
    expect(JSON.parse(second.stdout).final_message).toContain("not covered, its explorer ended without an answer")

    const { items } = JSON.parse((await adjutant("list", "--output", "json")).stdout)
    const statusOf = (title: string) => items.find((item: { title: string }) => item.title === title)?.status
    expect(["contracts", "workflows", "tools", "store"].map(statusOf)).toEqual([
      "completed",
      "completed",
      "completed",
      "failed",
    ])
  })
})
