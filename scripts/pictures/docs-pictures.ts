import { cp, mkdtemp, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import type { Browser } from "playwright-core"
import { launcher, programEnv } from "../../test/e2e/cli/program.ts"
import { openView } from "../../test/e2e/web/page-views.ts"
import type { WebProject } from "../../test/e2e/web/web-project.ts"
import { runInTerminal } from "../../test/helpers/terminal/run-in-terminal.ts"
import { terminalSvg } from "./terminal-svg.ts"

const root = path.resolve(import.meta.dirname, "../..")
const folder = path.join(root, "docs/pictures")
const instruction = "Write the release notes for 1.2"
const question = "[a]pprove [r]eject [e]dit [d]iff [l]ater"

/** Sessions that the list has next to the one that waits. */
const others = [
  ["Explain at length", "completed"],
  ["Delegate", "completed"],
  ["Fail for good", "failed"],
  ["Wait for the provider", "running"],
] as const

/** Lines that a slow machine shows before a run, and others do not. */
const slowStart = /^(?:waiting for the Temporal server|bundling the workflows once) … \d+ s\r?\n/gm

/** Runs the example of the README at a terminal, approves its call, and draws what the terminal showed. */
export const drawTerminal = async (): Promise<void> => {
  const scratch = await mkdtemp(path.join(os.tmpdir(), "adjutant-picture-"))
  const cwd = path.join(scratch, "notes")
  try {
    await cp(path.join(root, "examples/notes"), cwd, { recursive: true })
    const env = { ...programEnv(), TERM: "xterm-256color", ADJUTANT_TRUST: "1" }
    const run = runInTerminal({ cwd, env }, [process.execPath, launcher, "run", "--pause-on-approval", instruction])
    await run.shows(question)
    run.type("a\n")
    if ((await run.ended) !== 0) throw new Error(`the run has failed: ${run.shown()}`)
    const typed = `\u001b[2m$\u001b[22m adjutant run --pause-on-approval "${instruction}"\r\n`
    const label = "A run in a terminal pauses, shows the change that it requests, and asks"
    await writeFile(
      path.join(folder, "terminal.svg"),
      terminalSvg(typed + run.shown().replaceAll(slowStart, ""), { columns: 84, label }),
    )
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

const desktop = { viewport: { width: 1280, height: 800 } } as const
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 } as const

/** Takes pictures of the page with sessions, one of which waits for an approval: of that session, of the home, and of the review at a desk and on a phone. */
export const takePages = async (browser: Browser, project: WebProject): Promise<void> => {
  for (const [message, status] of others) await project.reaches(await project.begin(message), status)
  const id = await project.begin("Raise the retries")
  await project.reaches(id, "paused")
  const review = { path: "/#/review", ready: "#review .diff" }
  const views = [
    { name: "page", path: `/#/s/${id}`, ready: "#rows .card .diff", ...desktop },
    { name: "home", path: "/", ready: "#home .lines li", ...desktop },
    { name: "review", ...review, ...desktop },
    { name: "phone", ...review, ...phone },
  ]
  for (const { name, path: to, ready, ...options } of views) {
    const { page } = await openView(browser, project, { view: { name, path: to, ready }, ...options })
    await page.screenshot({ path: path.join(folder, `${name}.png`) })
    await page.context().close()
  }
}
