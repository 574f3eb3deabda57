import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ServiceStatus } from "../../../contracts/service/service-status.ts"
import { findService } from "../../../service/ask-service.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

let project: ProjectDirectory
beforeAll(async () => {
  project = await createProject({ main: { turns: [{ reply: { text: "Hello." } }] } })
})
afterAll(() => project.remove())

const status = async (): Promise<ServiceStatus | undefined> => (await findService(project.dataDir))?.status

/** Asks as a command: a connection of this process would keep the service. */
const shown = async (): Promise<string> => (await project.run("service", "status")).stdout

describe("adjutant serve", () => {
  it("is the service of a data directory that has none, and does the work", async () => {
    const serve = project.start("serve", "--port", "0")
    await serve.stderrHas("listening on ")
    expect(await status()).toMatchObject({ pid: serve.child.pid, kind: "foreground" })
    const ended = await project.run("run", "hi", "--output", "json")
    expect(JSON.parse(ended.stdout), ended.stderr).toMatchObject({ outcome: "completed" })
    expect((await status())?.pid).toBe(serve.child.pid)
    serve.child.kill("SIGTERM")
    expect((await serve.ended).code).toBe(0)
    expect(await status()).toBeUndefined()
  })

  it.each(["serve", "worker"])("%s works in addition to a service, which stays as long", async (command) => {
    expect((await project.run("service", "start")).code).toBe(0)
    const pid = (await status())?.pid
    const attached = project.start(command, ...(command === "serve" ? ["--port", "0"] : []))
    await attached.stderrHas(command === "serve" ? "listening on " : "worker ready")
    expect(attached.stderr()).toContain(
      `the process ${pid} is the service of ${project.dataDir}; this one works in addition to it, and its end stops nothing`,
    )
    const runInCi = async () => expect((await project.runWith({ CI: "true" }, "run", "hi")).code).toBe(0)
    await runInCi()
    expect(await shown()).toContain(`pid ${pid},`)
    attached.child.kill("SIGTERM")
    expect((await attached.ended).code).toBe(0)
    expect(await shown()).toContain(`pid ${pid},`)
    await runInCi()
    expect(await status()).toBeUndefined()
  })
})
