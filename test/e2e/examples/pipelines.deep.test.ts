import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { execa } from "execa"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { parse, stringify } from "yaml"
import { z } from "zod"
import { defaultDataDir } from "../../../config/data-dir/state-folder.ts"
import { startProgram, type Started } from "../cli/program.ts"
import { addressOf } from "../cli/remote-project.ts"
import { endServicesIn } from "../../helpers/end-services.ts"
import { createMachine, createService, type PipelineMachine, root, runWorkflow } from "./pipeline.ts"

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

/** Returns the comment with this command that the job asks for. */
const commandIn = (text: string | undefined, command = "approve"): string =>
  new RegExp(`^ {4}(/${command} \\S+)`, "m").exec(text ?? "")?.[1] ?? "none"
const notesOf = (cwd: string) => readFile(path.join(cwd, "CHANGELOG.md"), "utf8")

const call = (name: string, args: object) => ({ reply: { tool_calls: [{ name, arguments: args }] } })
const finish = (result: string) => call("finish", { result })
const asking = {
  when: { user: "^ask" },
  turns: [{ reply: { text: "Which version?" } }, finish(String.raw`{{user:([\s\S]*)}}`)],
}
const refused = {
  when: { user: "^overwrite" },
  turns: [call("Write", { file_path: "over.txt", content: "x" }), finish(String.raw`{{result:([\s\S]*)}}`)],
}
const conversations = [
  asking,
  {
    turns: [
      call("Write", { file_path: "plan.txt", content: "the plan\n" }),
      call("Bash", { command: "cat plan.txt >> prod.log; rm -f old.txt" }),
      finish(String.raw`{{result:([\s\S]*)}}`),
    ],
  },
]

/** A repository whose agent writes a plan, and asks before it applies it. */
const createRepository = async (folder: string): Promise<string> => {
  const cwd = path.join(folder, "repository")
  await mkdir(cwd)
  const config = {
    models: { main: { provider: "scripted", script: "main.yaml" } },
    tools: { policy: { Write: "auto", Bash: "prompt" } },
    security: { sandbox: "off" },
  }
  const files = { "adjutant.config.yaml": stringify(config), "main.yaml": stringify({ conversations }), "old.txt": "x" }
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(cwd, name), text)
  const git = (...args: readonly string[]) => execa("git", args, { cwd })
  await git("init", "--quiet")
  await git("add", "--all")
  await git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "one")
  return cwd
}

describe("the pipeline that keeps a task as an artifact", () => {
  const context = (more: object) => ({ secrets: {}, vars: {}, ...more })
  const startWith = (prompt: string) =>
    context({
      github: { event_name: "workflow_dispatch", sha: "0".repeat(40), event: { inputs: { issue: "7", prompt } } },
    })

  /** Each job runs on a machine of its own, with another name, path and checkout. */
  const open = async () => {
    const service = await createService()
    const repository = await createRepository(service.folder)
    const text = await exampleOf("github-artifact.yml")
    let jobs = 0
    const job = async (given: Readonly<Record<string, unknown>>, until?: string) => {
      jobs += 1
      const machine = await createMachine({ service: service.folder, name: `runner-${jobs}` })
      onTestFinished(async () => {
        await endServicesIn(machine.folder)
        await machine[Symbol.asyncDispose]()
      })
      const cwd = path.join(machine.folder, `checkout-${jobs}`)
      await execa("git", ["clone", "--quiet", repository, cwd])
      const parts = { text, cwd, context: given, service: service.folder, ...(until === undefined ? {} : { until }) }
      const steps = await runWorkflow(machine, parts)
      return { steps, cwd, last: (await machine.posted()).at(-1) }
    }
    return { service, job }
  }
  const inCheckout = (cwd: string, name: string) => readFile(path.join(cwd, name), "utf8").catch(() => undefined)

  it("continues on another machine with the files from before the pause, once, however often people comment", async () => {
    const { service, job } = await open()
    await using _ = service
    const first = await job(startWith("deploy"))
    expect(first.steps).toMatchObject({ agent: { outputs: { exit_code: "10" } } })
    const comment = commandIn(first.last)
    expect(commandIn(first.last, "reject")).toBe(comment.replace("approve", "reject"))
    expect((await job(commented(comment, "NONE"))).steps).toBeUndefined()

    const [kept = ""] = await readdir(path.join(service.folder, "artifacts"))
    const { stdout: archive } = await execa("tar", ["-tzf", path.join(service.folder, "artifacts", kept)])
    expect(archive).toContain("files/0/plan.txt")
    expect(archive).not.toContain("api-token")

    // Two approvers comment at the same moment.
    const both = await Promise.all([job(commented(comment)), job(commented(comment))])
    const applied = both.filter(({ steps }) => steps?.["use"]?.outputs["first"] === "true")
    expect(applied).toHaveLength(1)
    expect(applied[0]?.steps).toMatchObject({ agent: { outputs: { exit_code: "0" } } })
    expect(await Promise.all(both.map(({ cwd }) => inCheckout(cwd, "prod.log")))).toEqual(
      both.map((each) => (each === applied[0] ? "the plan\n" : undefined)),
    )
    const third = await job(commented(comment))
    expect(third.last).toContain("was used already, so nothing was done")
    expect(third.steps).not.toHaveProperty("agent")
  })

  it("gives the model the reason of a rejection, and reports a command that cannot be used", async () => {
    const { service, job } = await open()
    await using _ = service
    const first = await job(startWith("deploy"))
    const reject = commandIn(first.last, "reject")
    const lost = await job(commented(`${reject} -- $(touch stolen) "not" today`), "use")
    expect(lost.steps).toHaveProperty("use")
    expect((await job(commented(reject))).last).toContain("delete the reference refs/adjutant/used/")
    const refs = path.join(service.folder, "refs.git")
    const { stdout: ref } = await execa("git", ["--git-dir", refs, "for-each-ref", "--format=%(refname)"])
    await execa("git", ["--git-dir", refs, "update-ref", "-d", ref])
    const rejected = await job(commented(`${reject} -- $(touch stolen) "not" today`))
    expect(rejected.last).toContain('$(touch stolen) "not" today')
    expect(await inCheckout(rejected.cwd, "stolen")).toBeUndefined()
    expect(await inCheckout(rejected.cwd, "prod.log")).toBeUndefined()
    await expect(job(commented("/approve cp_unknown"))).rejects.toThrow("Read the comment failed")
  })

  it("asks a question, and gives the model the answer with all its lines", async () => {
    const { service, job } = await open()
    await using _ = service
    const first = await job(startWith("ask"))
    expect(first.last).toContain("Which version?")
    expect(first.last).not.toContain("/approve")
    const answer = commandIn(first.last, "answer")
    const answered = await job(commented(`${answer} Version "1.2" $HOME\nand 1.3`))
    expect(answered.steps).toMatchObject({ agent: { outputs: { exit_code: "0" } } })
    expect(answered.last).toContain('Version "1.2" $HOME\nand 1.3')
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
    const script = path.join(project, "notes.yaml")
    const notes = z.object({ conversations: z.array(z.unknown()) }).parse(parse(await readFile(script, "utf8")))
    await writeFile(script, stringify({ conversations: [asking, refused, ...notes.conversations] }))
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
    expect(steps).toMatchObject({ agent: { outputs: { exit_code: "0" } } })
    expect((await machine.posted()).at(-1)).toContain(read)
    expect(await readdir(cwd)).not.toContain("stolen")
    expect(await readdir(project)).not.toContain("over.txt")
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
