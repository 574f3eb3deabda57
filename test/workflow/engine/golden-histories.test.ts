import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { replay } from "../../helpers/engine/workflow-harness.ts"

const folder = join(import.meta.dirname, "../../histories")
const names = (await readdir(folder)).filter((name) => name.endsWith(".json"))

const load = async (name: string) => JSON.parse(await readFile(join(folder, name), "utf8"))

interface Event {
  readonly eventType: string
  readonly activityTaskScheduledEventAttributes?: { readonly activityType: { name: string } }
}

describe("the current workflow code", () => {
  it("has histories to replay", () => {
    expect(names.length).toBeGreaterThanOrEqual(10)
  })

  it.each(names)("replays %s", async (name) => {
    await expect(replay(await load(name), "subagent/golden")).resolves.toBeUndefined()
  })

  it("would fail the replay if it made other decisions", async () => {
    const history = await load("completed-with-tools.json")
    const scheduled = history.events.find(
      (event: Event) => event.activityTaskScheduledEventAttributes?.activityType.name === "callModel",
    )
    scheduled.activityTaskScheduledEventAttributes.activityType.name = "somethingElse"
    await expect(replay(history, "subagent/golden")).rejects.toThrow(/somethingElse|[Nn]ondeterminis/)
  })
})
