import { afterAll, beforeAll, expect, it } from "vitest"
import { choosePort } from "../../../server/exposure/choose-ports.ts"
import { untilPasses } from "../../helpers/eventually.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

let project: ProjectDirectory
beforeAll(async () => {
  project = await createProject({ main: { conversations: [{ turns: [{ reply: { text: "Hello." } }] }] } })
})
afterAll(() => project.remove())

it("a worker serves its counters and the metrics of Temporal's library at the port that is named", async () => {
  const port = await choosePort(undefined)
  const worker = project.start("worker", "--metrics-port", String(port))
  await worker.stderrHas("worker ready")
  await untilPasses(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`)
    expect(await response.text()).toMatch(/^temporal_\w*request\w*\{/m)
  })
  expect((await project.run("run", "-a", "Say hello.")).code).toBe(0)
  await untilPasses(async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(text).toMatch(/^adjutant_runs_total\{.*stop_reason="completed".*\} 1$/m)
    expect(text).toMatch(/^adjutant_model_calls_total\{.*outcome="ok".*\} 1$/m)
    expect(text).toMatch(/^adjutant_model_call_seconds_bucket\{/m)
  })
  worker.child.kill("SIGTERM")
  expect((await worker.ended).code).toBe(0)
})
