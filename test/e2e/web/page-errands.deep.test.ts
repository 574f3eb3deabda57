import { readFile } from "node:fs/promises"
import path from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { describeWith } from "../../helpers/needs.ts"
import { findChromium } from "./find-chromium.ts"
import { liveConversations } from "./live-conversations.ts"
import { longConversations } from "./long-conversations.ts"
import { openBrowser, openPage } from "./open-browser.ts"
import { conversations } from "./web-conversations.ts"
import { openWebProject, type WebProject } from "./web-project.ts"

const chromium = { name: "Chromium", isAvailable: findChromium() !== undefined }

/** More stops of `Tab` than that, and a person reaches for the mouse. */
const fewStops = 10

describeWith([chromium], "what a person does on the web page with the keyboard alone", () => {
  let project: WebProject
  let browser: Browser
  beforeAll(async () => {
    const played = [...longConversations, ...liveConversations, ...conversations]
    ;[project, browser] = await Promise.all([openWebProject(undefined, played), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await project?.remove()
  })

  const begin = async (message: string, status: string, fields: object = {}): Promise<string> => {
    const id = await project.begin(message, { ...fields })
    await project.reaches(id, status)
    return id
  }

  const open = async (to: string): Promise<Page> => {
    const { page } = await openPage(browser, project.url + to, { token: project.token })
    page.setDefaultTimeout(30_000)
    return page
  }

  const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }

  const focused = (page: Page): Promise<string> =>
    page.evaluate<string>(
      `document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim()`,
    )

  /** Presses `Tab` until something has the focus; returns how often. */
  const tabTo = async (page: Page, name: string): Promise<number> => {
    for (let stops = 1; stops < 100; stops += 1) {
      await press(page, "Tab")
      if ((await focused(page)).startsWith(name)) return stops
    }
    throw new Error(`Tab does not lead to ${name}`)
  }

  it("continues what a limit has ended, without a walk through the list", async () => {
    const id = await begin("Look three times", "failed", { max_steps: 2 })
    for (let index = 0; index < 12; index += 1) await project.begin("Survey")
    const page = await open("/")
    const name = "Continue with 4 steps: Look three times"
    await page.getByRole("button", { name }).waitFor()
    expect(await tabTo(page, "Skip to the content")).toBe(1)
    await press(page, "Enter")
    expect(await tabTo(page, name)).toBeLessThanOrEqual(fewStops)
    await press(page, "Enter")
    await page.waitForURL(`**/#/s/${id}`)
    await project.reaches(id, "completed")
    await page.context().close()
  })

  it("edits the text of one call and approves it, and rejects another with a reason", async () => {
    const plan = await begin("Write the plan", "paused")
    const retries = await begin("Raise the retries", "paused")
    const page = await open("/")
    await page.getByRole("region", { name: "Needs you" }).getByText("Write the plan").waitFor()
    await press(page, "a")
    await expect.poll(() => focused(page)).toBe(`Approval for ${plan}`)
    await press(page, "j")
    await expect.poll(() => focused(page)).toBe(`Approval for ${retries}`)
    await press(page, "k")
    const card = page.getByRole("article", { name: `Approval for ${plan}` })
    // The beginning of the change is what a person who goes back to it sees.
    await expect.poll(async () => ((await card.boundingBox())?.y ?? -1) >= 0).toBe(true)
    await press(page, "Enter", "e")
    await expect.poll(() => page.evaluate<string>("document.activeElement.className")).toBe("code")
    await press(page, "Control+A")
    await page.keyboard.type("One line.\n")
    await press(page, "Control+Enter")
    await project.reaches(plan, "completed")
    await eventually(
      async () => (await readFile(path.join(project.directory.cwd, "PLAN.md"), "utf8")) === "One line.\n",
    )
    await card.waitFor({ state: "detached" })
    await press(page, "j", "Enter", "n")
    await expect.poll(() => focused(page)).toBe("Reason for tc_edit")
    await page.keyboard.type("not before Monday")
    await press(page, "Control+Enter")
    await project.reaches(retries, "completed")
    await page.context().close()
  })

  it("starts a run, writes to it, and looks at its views", async () => {
    const page = await open("/")
    await page.getByRole("button", { name: "Find" }).waitFor()
    await press(page, "r")
    await page.locator("#start-message").waitFor()
    await page.keyboard.type("Survey the keyboard")
    await press(page, "Tab", "Tab", "Control+Enter")
    await page.locator("#rows").getByText("Surveyed.").waitFor()
    const id = /#\/s\/(\w+)/.exec(page.url())?.[1] ?? ""
    await project.reaches(id, "completed")
    await press(page, "s")
    await page.keyboard.type("Survey it again")
    await press(page, "Control+Enter")
    await expect.poll(() => page.locator("#rows").getByText("Surveyed.").count()).toBe(2)
    await press(page, "Escape")
    for (const view of ["/timeline", "/agents", "/changes", ""]) {
      await press(page, "t")
      await page.waitForURL(`**/#/s/${id}${view}`)
    }
    await page.context().close()
  })

  it("finds the session that changed a file, and what it changed", async () => {
    const id = await begin("Raise the retries", "completed", { auto_approve: true })
    const page = await open("/")
    await page.getByRole("button", { name: "Find" }).waitFor()
    await press(page, "Control+k")
    await page.keyboard.type("retries.ts")
    const file = page.getByRole("option").filter({ hasText: "changed file" })
    await file.waitFor()
    while ((await file.getAttribute("aria-selected")) !== "true") await press(page, "ArrowDown")
    await press(page, "Enter")
    await page.waitForURL(`**/#/s/${id}/changes`)
    await page.getByRole("region", { name: "Changes" }).getByText("retries.ts").first().waitFor()
    await page.context().close()
  })

  it("reads why a run failed, and continues it with the next model", async () => {
    const id = await begin("Fail for good", "failed")
    const page = await open("/")
    await page.getByRole("region", { name: "Failed since yesterday" }).getByText("refused the request").waitFor()
    expect(await tabTo(page, "Skip to the content")).toBe(1)
    await press(page, "Enter")
    await tabTo(page, "Fail for good")
    await press(page, "Enter")
    await page.waitForURL(`**/#/s/${id}`)
    await page.getByRole("alert").getByText("refused the request").waitFor()
    await page.evaluate("document.activeElement.blur()")
    expect(await tabTo(page, "Continue with this model")).toBeLessThanOrEqual(2 * fewStops)
    await page.context().close()
  })
})
