import { appendFile, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse, stringify } from "yaml"
import { z } from "zod"
import { defaultDataDir } from "../../../config/data-dir/state-folder.ts"
import { eventually } from "../../helpers/eventually.ts"
import {
  comment as commentBody,
  github as signedByGithub,
  webhookConfig,
  webhookEnv,
} from "../../helpers/http/signed-webhooks.ts"
import { startProgram, type Started } from "../cli/program.ts"
import { addressOf } from "../cli/remote-project.ts"
import { createMachine, type PipelineMachine, root, runWorkflow } from "./pipeline.ts"
import { asking, call, commandIn, commented, exampleOf, finish } from "./pipeline-comments.ts"

const inputs = { issue: "7", prompt: "Write the release notes for 1.2" }

const started = {
  github: { event_name: "workflow_dispatch", run_id: "4711", event: { inputs } },
  secrets: {},
  vars: {},
}

const notesOf = (cwd: string) => readFile(path.join(cwd, "CHANGELOG.md"), "utf8")

const refused = {
  when: { user: "^overwrite" },
  turns: [call("Write", { file_path: "over.txt", content: "x" }), finish(String.raw`{{result:([\s\S]*)}}`)],
}

const reviewing = {
  when: { user: "^Review" },
  turns: [call("Write", { file_path: "review.md", content: "fine\n" }), finish("Reviewed.")],
}

describe("the pipelines of a server", () => {
  let machine: PipelineMachine
  let project: string
  let server: Started
  let access: { readonly url: string; readonly token: string }
  beforeAll(async () => {
    machine = await createMachine()
    project = path.join(machine.folder, "server")
    await cp(path.join(root, "examples/notes"), project, { recursive: true })
    await appendFile(path.join(project, "adjutant.config.yaml"), stringify(webhookConfig))
    Object.assign(machine.env, webhookEnv, { ADJUTANT_TRUST: "1" })
    const script = path.join(project, "notes.yaml")
    const notes = z.object({ conversations: z.array(z.unknown()) }).parse(parse(await readFile(script, "utf8")))
    await writeFile(script, stringify({ conversations: [asking, refused, reviewing, ...notes.conversations] }))
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
    expect(first).toMatchObject({ agent: { outputs: { "exit-code": "10" } } })
    const comment = commandIn((await machine.posted()).at(-1))
    const second = await runWorkflow(machine, {
      text,
      cwd: await jobFolder("github-2"),
      context: commented(comment, "OWNER", settings),
    })
    expect(second).toMatchObject({ agent: { outputs: { "exit-code": "0" } } })
    expect(await notesOf(project)).toContain("Search by label")
    expect((await machine.posted()).at(-1)).toContain("CHANGELOG.md has the notes for 1.2.")
  })

  it("takes the comment of a person from GitHub's webhook, so that no second job is needed", async () => {
    const text = await exampleOf("github-server.yml")
    const settings = { secrets: { ADJUTANT_API_TOKEN: access.token }, vars: { ADJUTANT_SERVER: access.url } }
    const github = { ...started.github, event: { inputs: { issue: "7", prompt: "Review by webhook" } } }
    await runWorkflow(machine, { text, cwd: await jobFolder("hook"), context: { ...started, ...settings, github } })
    const approve = commandIn((await machine.posted()).at(-1))
    const deliver = async (by: string) => {
      const body = commentBody(`${approve}\n`, { login: by })
      return await fetch(`${access.url}/v1/hooks/gh`, { method: "POST", body, headers: signedByGithub(body) })
    }
    await deliver("eve")
    const headers = { authorization: `Bearer ${access.token}` }
    const waiting = await (await fetch(`${access.url}/v1/approvals`, { headers })).text()
    expect(waiting).toContain(approve.split(" ")[1])
    await deliver("octocat")
    await eventually(async () => (await readFile(path.join(project, "review.md"), "utf8").catch(() => "")) === "fine\n")
  })

  it.each([
    ["reject", "overwrite it", '-- not "today", $(touch stolen)', 'not "today", $(touch stolen)'],
    ["answer", "ask me", 'Version "1.2" $HOME', 'Version "1.2" $HOME'],
  ])("gives the model the text of a comment on GitHub Actions: %s", async (command, prompt, words, read) => {
    const text = await exampleOf("github-server.yml")
    const settings = { secrets: { ADJUTANT_API_TOKEN: access.token }, vars: { ADJUTANT_SERVER: access.url } }
    const github = { ...started.github, event: { inputs: { issue: "7", prompt } } }
    const first = await jobFolder(`github-${command}-1`)
    await runWorkflow(machine, { text, cwd: first, context: { ...started, ...settings, github } })
    const comment = `${commandIn((await machine.posted()).at(-1), command)} ${words}`
    const cwd = await jobFolder(`github-${command}-2`)
    const steps = await runWorkflow(machine, { text, cwd, context: commented(comment, "OWNER", settings) })
    expect(steps).toMatchObject({ agent: { outputs: { "exit-code": "0" } } })
    expect((await machine.posted()).at(-1)).toContain(read)
    expect(await readdir(cwd)).not.toContain("stolen")
    expect(await readdir(project)).not.toContain("over.txt")
  })

  it("runs on GitHub Actions with the action of this repository", async () => {
    const text = await exampleOf("github-action.yml")
    const settings = { secrets: { ADJUTANT_API_TOKEN: access.token }, vars: { ADJUTANT_SERVER: access.url } }
    await rm(path.join(project, "review.md"), { force: true })
    const job = async (name: string, event: object) =>
      await runWorkflow(machine, { text, cwd: await jobFolder(name), context: { ...settings, github: { event } } })
    const first = await job("action-1", {})
    expect(first).toMatchObject({ agent: { outputs: { outcome: "paused", "exit-code": "10" } } })
    const checkpoint = first?.["agent"]?.outputs["checkpoint"] ?? ""
    expect(await readdir(project)).not.toContain("review.md")
    const second = await job("action-2", { inputs: { checkpoint, decision: "approve" } })
    expect(second).toMatchObject({ agent: { outputs: { outcome: "completed", checkpoint: "" } } })
    expect(await readFile(path.join(project, "review.md"), "utf8")).toBe("fine\n")
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

    for (const [command, prompt, words] of [
      ["reject", "overwrite it", 'not "today"'],
      ["answer", "ask me", 'Version "1.2"'],
    ] as const) {
      await run("start", await jobFolder(`gitlab-${command}`), { PROMPT: prompt })
      const asks = commandIn((await machine.posted()).at(-1), command)
      const separator = command === "reject" ? "-- " : ""
      expect(await commentBy("tom", `${asks} ${separator}${words}`)).toMatchObject({ exitCode: 0 })
      expect((await machine.posted()).at(-1)).toContain(words)
    }
  })
})
