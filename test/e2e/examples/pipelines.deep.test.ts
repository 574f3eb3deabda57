import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { endServicesIn } from "../../helpers/end-services.ts"
import { defaultDataDir } from "../../../config/data-dir/state-folder.ts"
import { startProgram, type Started } from "../cli/program.ts"
import { addressOf } from "../cli/remote-project.ts"
import { createMachine, type PipelineMachine, root, runWorkflow } from "./pipeline.ts"

const exampleOf = async (name: string): Promise<unknown> =>
  parse(await readFile(path.join(root, "examples/ci", name), "utf8"), { merge: true })

const inputs = { issue: "7", prompt: "Write the release notes for 1.2" }
const started = {
  github: { event_name: "workflow_dispatch", run_id: "4711", event: { inputs } },
  secrets: {},
  vars: {},
}
const commented = (body: string, association = "MEMBER", more: object = {}) => ({
  github: {
    event_name: "issue_comment",
    run_id: "4712",
    event: { issue: { number: 7 }, comment: { body, author_association: association } },
  },
  secrets: {},
  vars: {},
  ...more,
})

/** Returns the comment that the job asks for. */
const commandIn = (text: string | undefined): string => /^ {4}(\/approve .*)$/m.exec(text ?? "")?.[1] ?? "none"
const notesOf = (cwd: string) => readFile(path.join(cwd, "CHANGELOG.md"), "utf8")

describe("the pipeline that keeps a task as an artifact", () => {
  it("asks, is approved by a member's comment in a new checkout, and reports", async () => {
    await using machine = await createMachine()
    const text = await exampleOf("github-artifact.yml")
    const cwd = path.join(machine.folder, "checkout")
    const checkOut = () => cp(path.join(root, "examples/notes"), cwd, { recursive: true })
    await checkOut()
    expect(await runWorkflow(machine, { text, cwd, context: started })).toMatchObject({
      agent: { outputs: { exit_code: "10" } },
    })
    const [question] = await machine.posted()
    expect(question).toMatch(/^gh issue comment 7?\n/m)
    expect(question).toContain("Write")

    const artifact = path.join(machine.folder, "adjutant-task.tar")
    await cp(path.join(cwd, "adjutant-task.tar"), artifact)
    for (const used of [cwd, path.join(machine.folder, "temp", "adjutant")]) {
      await endServicesIn(used)
      await rm(used, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    }
    await checkOut()
    await cp(artifact, path.join(cwd, "adjutant-task.tar"))
    const comment = commandIn(question)
    expect(await runWorkflow(machine, { text, cwd, context: commented(comment, "NONE") })).toBeUndefined()
    await expect(runWorkflow(machine, { text, cwd, context: commented("/approve $(touch stolen) 1") })).rejects.toThrow(
      "does not have the form",
    )
    expect(await runWorkflow(machine, { text, cwd, context: commented(comment) })).toMatchObject({
      comment: { outputs: { run: "4711" } },
      agent: { outputs: { exit_code: "0" } },
    })
    expect(await notesOf(cwd)).toContain("Search by label")
    expect((await machine.posted()).at(-1)).toContain("CHANGELOG.md has the notes for 1.2.")
  })
})

describe("the pipelines of a server", () => {
  let machine: PipelineMachine
  let project: string
  let server: Started
  let access: { readonly url: string; readonly token: string }
  beforeAll(async () => {
    machine = await createMachine()
    project = path.join(machine.folder, "server")
    await cp(path.join(root, "examples/notes"), project, { recursive: true })
    server = startProgram({ cwd: project, env: machine.env }, ["dev", "--port", "0"])
    const url = await addressOf(server)
    access = { url, token: await readFile(path.join(await defaultDataDir(project, machine.env), "api-token"), "utf8") }
  })
  afterAll(async () => {
    server.child.kill("SIGTERM")
    await server.ended
    await machine[Symbol.asyncDispose]()
  })
  const jobFolder = async (name: string): Promise<string> => {
    const cwd = path.join(machine.folder, name)
    await mkdir(cwd)
    return cwd
  }

  it("runs on GitHub Actions", async () => {
    const text = await exampleOf("github-server.yml")
    const settings = { secrets: { ADJUTANT_API_TOKEN: access.token }, vars: { ADJUTANT_SERVER: access.url } }
    const first = await runWorkflow(machine, {
      text,
      cwd: await jobFolder("github-1"),
      context: { ...started, ...settings },
    })
    expect(first).toMatchObject({ agent: { outputs: { exit_code: "10" } } })
    const comment = commandIn((await machine.posted()).at(-1))
    const second = await runWorkflow(machine, {
      text,
      cwd: await jobFolder("github-2"),
      context: commented(comment, "OWNER", settings),
    })
    expect(second).toMatchObject({ agent: { outputs: { exit_code: "0" } } })
    expect(await notesOf(project)).toContain("Search by label")
    expect((await machine.posted()).at(-1)).toContain("CHANGELOG.md has the notes for 1.2.")
  })

  it("runs on GitLab CI", async () => {
    const jobSchema = z.looseObject({
      script: z.array(z.union([z.string(), z.array(z.string())])),
      variables: z.record(z.string(), z.string()).default({}),
    })
    const jobs = z.looseObject({ start: jobSchema, continue: jobSchema }).parse(await exampleOf("gitlab-ci.yml"))
    const env = {
      ADJUTANT_SERVER: access.url,
      ADJUTANT_API_TOKEN: access.token,
      APPROVERS: "mia tom",
      ISSUE: "7",
      GITLAB_TOKEN: "glpat-x",
    }
    const run = async (name: "start" | "continue", cwd: string, more: Readonly<Record<string, string>> = {}) => {
      const { script, variables } = jobs[name]
      return await machine.bash(script.flat().join("\n"), cwd, { ...variables, ...env, ...more })
    }
    const asked = await run("start", await jobFolder("gitlab-1"))
    expect(asked).toMatchObject({ exitCode: 0 })
    const note = commandIn((await machine.posted()).at(-1))

    const cwd = await jobFolder("gitlab-2")
    const payload = path.join(cwd, "payload.json")
    const commentBy = async (username: string, text: string) => {
      const body = { object_attributes: { note: text }, user: { username }, issue: { iid: 7 } }
      await writeFile(payload, JSON.stringify(body))
      return await run("continue", cwd, { TRIGGER_PAYLOAD: payload })
    }
    expect(await commentBy("eve", note)).toMatchObject({ exitCode: 1, all: "eve may not approve" })
    expect(await commentBy("mia", "thanks!")).toMatchObject({ exitCode: 0, all: "the comment is not for the agent" })
    expect(await commentBy("mia", note)).toMatchObject({ exitCode: 0 })
    expect((await machine.posted()).at(-1)).toContain("CHANGELOG.md has the notes for 1.2.")
  })
})
