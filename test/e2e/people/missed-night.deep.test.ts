import { writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { stringify } from "yaml"
import { findService } from "../../../service/ask-service.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createProject } from "../cli/program.ts"
import { processesWith } from "./story.ts"

const patience = { timeoutMs: 180_000 }

it("starts a task that was due while neither the service nor Temporal ran, when the service runs again", async () => {
  const project = await createProject(
    { main: { turns: [{ reply: { text: "Nothing found." } }] } },
    { ADJUTANT_TRUST: "1" },
  )
  onTestFinished(() => project.remove())
  const config = {
    models: { main: { provider: "scripted", script: "main.yaml" } },
    schedules: { nightly: { cron: "* * * * *", prompt: "Review it.", catchUpMinutes: 60 } },
  }
  await writeFile(path.join(project.cwd, "adjutant.config.yaml"), stringify(config))
  const json = async (...argv: readonly string[]) => JSON.parse((await project.run(...argv, "--output", "json")).stdout)
  await json("service", "start")
  const next = async (): Promise<string | undefined> => (await json("schedule", "list")).items[0]?.next[0]
  await eventually(async () => (await next()) !== undefined, patience)
  const missed = (await next()) ?? ""
  // The machine is switched off.
  const service = await findService(project.dataDir)
  const pids = await processesWith(path.dirname(project.cwd))
  for (const pid of new Set([...pids, ...(service === undefined ? [] : [service.status.pid])]))
    process.kill(pid, "SIGKILL")
  await eventually(() => Date.now() > Date.parse(missed) + 1_000, patience)
  const restartedAt = Date.now()
  await json("service", "start")
  const label = `nightly/${missed.replace(".000Z", "Z")}`
  const found = async () =>
    (await json("list")).items.find((each: { readonly label: string | null }) => each.label === label)
  await eventually(async () => (await found())?.status === "completed", patience)
  expect(Date.parse((await found()).created_at)).toBeGreaterThanOrEqual(restartedAt)
})
