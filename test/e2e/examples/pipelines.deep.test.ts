import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { execa } from "execa"
import { describe, expect, it, onTestFinished } from "vitest"
import { stringify } from "yaml"
import { endServicesIn } from "../../helpers/end-services.ts"
import { testWith } from "../../helpers/needs.ts"
import { needsStranger } from "../service/stranger.ts"
import { createMachine, createService, type MachineOptions, runWorkflow } from "./pipeline.ts"
import { asking, call, commandIn, commented, exampleOf, finish } from "./pipeline-comments.ts"

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
    const job = async (given: Readonly<Record<string, unknown>>, until?: string, options: MachineOptions = {}) => {
      jobs += 1
      const machine = await createMachine({ service: service.folder, name: `runner-${jobs}`, ...options })
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
    expect(first.steps).toMatchObject({ agent: { outputs: { "exit-code": "10" } } })
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
    expect(applied[0]?.steps).toMatchObject({ agent: { outputs: { "exit-code": "0" } } })
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
    await expect(job(commented("/approve cp_unknown"))).rejects.toThrow("Find the paused task failed")
  })

  testWith([needsStranger], "continues as another user than the one who began it", async () => {
    const { service, job } = await open()
    await using _ = service
    const first = await job(startWith("deploy"))
    const second = await job(commented(commandIn(first.last)), undefined, { isStrangers: true })
    expect(second.steps).toMatchObject({ agent: { outputs: { "exit-code": "0" } } })
    expect(await inCheckout(second.cwd, "prod.log")).toBe("the plan\n")
  })

  it("asks a question, and gives the model the answer with all its lines", async () => {
    const { service, job } = await open()
    await using _ = service
    const first = await job(startWith("ask"))
    expect(first.last).toContain("Which version?")
    expect(first.last).not.toContain("/approve")
    const answer = commandIn(first.last, "answer")
    const answered = await job(commented(`${answer} Version "1.2" $HOME\nand 1.3`))
    expect(answered.steps).toMatchObject({ agent: { outputs: { "exit-code": "0" } } })
    expect(answered.last).toContain('Version "1.2" $HOME\nand 1.3')
  })
})
