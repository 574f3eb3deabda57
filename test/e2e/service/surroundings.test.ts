import { appendFile, readFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { findService } from "../../../service/ask-service.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

const bash = (command: string) => ({ reply: { tool_calls: [{ name: "Bash", arguments: { command } }] } })

let project: ProjectDirectory
beforeAll(async () => {
  project = await createProject(
    { main: { turns: [bash('echo "$WHO" >> who.txt'), { reply: { text: "Done." } }] } },
    { ADJUTANT_TRUST: "1" },
  )
  await appendFile(
    path.join(project.cwd, "adjutant.config.yaml"),
    "security: { sandbox: off, envAllow: [PATH, HOME, WHO] }\n",
  )
})
afterAll(() => project.remove())

const runAs = async (who: string): Promise<void> => {
  const started = await project.runWith({ WHO: who }, "run", "hi", "--detach", "--output", "json")
  expect(started.code, started.stderr).toBe(0)
  const ended = await project.run("wait", JSON.parse(started.stdout).task_id, "--output", "json")
  expect(JSON.parse(ended.stdout), ended.stderr).toMatchObject({ outcome: "completed" })
}

it("each task gets the variables of its own command, whichever started the service", async () => {
  await runAs("one")
  const pid = (await findService(project.dataDir))?.status.pid
  await runAs("two")
  expect((await findService(project.dataDir))?.status.pid).toBe(pid)
  expect(await readFile(path.join(project.cwd, "who.txt"), "utf8")).toBe("one\ntwo\n")
})
