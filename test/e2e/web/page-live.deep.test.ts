import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeWith } from "../../helpers/needs.ts"
import { findChromium } from "./find-chromium.ts"
import { lastLine, liveConversations } from "./live-conversations.ts"
import { openBrowser, openPage } from "./open-browser.ts"
import { openWebProject, type WebProject } from "./web-project.ts"

const chromium = { name: "Chromium", isAvailable: findChromium() !== undefined }

/** How far the end of the transcript is below what can be seen. */
const belowView = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const { scrollHeight, scrollTop, clientHeight } = document.querySelector("#rows")
    return scrollHeight - scrollTop - clientHeight
  })()`)

describeWith([chromium], "a session on the web page, as it is now", () => {
  let project: WebProject
  let browser: Browser
  beforeAll(async () => {
    ;[project, browser] = await Promise.all([openWebProject(undefined, liveConversations), openBrowser()])
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

  const open = async (id: string, size = { width: 1440, height: 900 }): Promise<Page> => {
    const { page } = await openPage(browser, `${project.url}/#/s/${id}`, { token: project.token, viewport: size })
    page.setDefaultTimeout(30_000)
    return page
  }

  it("forks at steps of the session, each of which has an address of its own", async () => {
    const id = await begin("Run twice", "completed")
    await project.post(`/v1/sessions/${id}/messages`, { message: "Again" })
    await expect.poll(async () => (await project.info(id)).steps_taken, { timeout: 30_000 }).toBe(8)
    await project.reaches(id, "completed")
    const page = await open(id)
    await page.getByText("Second done.").waitFor()
    const addresses = await page
      .locator("#rows .row.assistant .who a")
      .evaluateAll((links) => links.map((link) => String(link)))
    expect(addresses.map((address) => address.split("#")[1])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((step) => `/s/${id}/step/${step}`),
    )
    await page.getByRole("button", { name: "Fork here, at step 5" }).click()
    await page.getByRole("textbox", { name: "Instruction for the fork" }).fill("Again")
    await page.getByRole("button", { name: "Start the fork" }).click()
    await page.waitForURL((url) => !url.hash.includes(id))
    const fork = /#\/s\/(\w+)/.exec(page.url())?.[1] ?? ""
    const forked = await project.info(fork)
    expect(forked.forked_from).toBe(id)
    // The fork begins with these steps, and works on.
    expect(forked.steps_taken).toBeGreaterThanOrEqual(5)
    await page.context().close()
  })

  it.each([
    ["a desktop", { width: 1440, height: 900 }],
    ["a phone", { width: 390, height: 844 }],
    ["a sheet of paper", { width: 794, height: 1123 }],
  ])("opens at its answer when it is done, also after a reload, on %s", async (_, size) => {
    const id = await begin("Report", "completed")
    const page = await open(id, size)
    const answer = page.locator("#rows").getByText(lastLine)
    for (const each of ["first", "again"]) {
      if (each === "again") await page.reload()
      await answer.waitFor()
      await expect.poll(() => belowView(page), { timeout: 5_000 }).toBeLessThanOrEqual(4)
      // Rows are measured later than the first drawing.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
      expect(await belowView(page)).toBeLessThanOrEqual(4)
    }
    await page.evaluate("document.querySelector('#rows').scrollTo(0, 30)")
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(await page.evaluate<number>("document.querySelector('#rows').scrollTop")).toBeLessThan(400)
    await page.context().close()
  })

  it("is continued after a limit with a higher one", async () => {
    const id = await begin("Look three times", "failed", { max_steps: 2 })
    const page = await open(id)
    const form = page.getByRole("form", { name: "Raise the limit" })
    await form.getByLabel("Steps, more than 2").fill("9")
    await form.getByRole("button", { name: "Continue" }).click()
    await page.locator("#rows").getByText("Looked enough.").waitFor()
    await page.locator("#head .status.completed").waitFor()
    expect(await form.count()).toBe(0)
    expect((await project.info(id)).limits?.max_steps.limit).toBe(9)
    await page.context().close()
  })

  it("is continued with fifty more steps by one button", async () => {
    const id = await begin("Look three times", "failed", { max_steps: 2 })
    const page = await open(id)
    await page.getByRole("button", { name: "Continue with 50 more steps" }).click()
    await page.locator("#head .status.completed").waitFor()
    expect((await project.info(id)).limits?.max_steps.limit).toBe(50)
    await page.context().close()
  })

  it("shows what was sent at once, and what becomes of it, also after a reload", async () => {
    const id = await begin("Think for long", "running")
    const page = await open(id)
    await page.getByLabel("Steer: the run reads this at its next safe point").fill("Make it blue")
    await page.getByRole("button", { name: "Steer", exact: true }).click()
    const steered = page.locator(".row.queued").filter({ hasText: "Make it blue" })
    await steered.getByText("Steering · queued: read after this answer or call").waitFor({ timeout: 2_000 })
    await page.locator("#text").fill("And then?")
    await page.getByRole("button", { name: "Queue for the next run" }).click()
    await page.locator(".row.queued").filter({ hasText: "And then?" }).waitFor({ timeout: 2_000 })
    await page.reload()
    await page.getByText("Follow-up · queued: begins the next run").waitFor()
    expect(await page.locator(".row.queued .text").allTextContents()).toEqual(["Make it blue", "And then?"])
    await page.locator("#rows").getByText("Blue it is.").waitFor()
    await page.locator("#head .status.completed").waitFor()
    expect(await page.locator(".row.queued").count()).toBe(0)
    expect(await page.locator(".row.user .text").getByText("Make it blue").count()).toBe(1)
    await page.context().close()
  })

  it("shows its sub-agents by the names that it gave them, with their present state", async () => {
    const id = await project.begin("Share the work")
    await expect
      .poll(async () => (await project.info(id)).blocked_by[0]?.type, { timeout: 30_000 })
      .toBe("child_paused")
    const page = await open(id)
    const line = (label: string) => page.locator(".child-line").filter({ has: page.getByText(label, { exact: true }) })
    await line("docs").getByText("completed").waitFor()
    await page.locator(".child-line.failed").getByText("tests", { exact: true }).waitFor()
    expect(await line("tests").textContent()).toContain("the model refused the request")
    await line("writer").getByText("paused").waitFor()
    expect(await page.locator(".child-line").count()).toBe(4)
    const banner = page.locator(".banner.wait")
    await banner.getByRole("link", { name: "writer", exact: true }).waitFor()
    await banner.getByRole("link", { name: "Review writer" }).click()
    await page.getByRole("button", { name: "Approve: Write HANDBOOK.md" }).click()
    await page.goBack()
    await line("writer").getByText("completed").waitFor()
    await line("writer").getByRole("link", { name: "writer" }).click()
    await page.locator("#rows").getByText("Drafted.").waitFor()
    await page.context().close()
  })
})
