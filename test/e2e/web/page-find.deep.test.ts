import type { Browser, Page, Route } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openStore } from "../../../store/open-store.ts"
import { describeWith } from "../../helpers/needs.ts"
import { newSession } from "../../unit/store/store-fixture.ts"
import { findChromium } from "./find-chromium.ts"
import { liveConversations } from "./live-conversations.ts"
import { longConversations } from "./long-conversations.ts"
import { openBrowser, openPage } from "./open-browser.ts"
import { openWebProject, type WebProject } from "./web-project.ts"

const chromium = { name: "Chromium", isAvailable: findChromium() !== undefined }

describeWith([chromium], "what a person looks for on the web page", () => {
  let project: WebProject
  let browser: Browser
  beforeAll(async () => {
    const played = [...longConversations, ...liveConversations]
    ;[project, browser] = await Promise.all([openWebProject(undefined, played), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await project?.remove()
  })

  const open = async (path: string, options: object = {}): Promise<Page> => {
    const { page } = await openPage(browser, project.url + path, { token: project.token, ...options })
    page.setDefaultTimeout(30_000)
    return page
  }

  const begin = async (message: string, status: string, fields: object = {}): Promise<string> => {
    const id = await project.begin(message, { ...fields })
    await project.reaches(id, status)
    return id
  }

  it("finds a text of a call with the keyboard, and leads to the call, which has an address of its own", async () => {
    const id = await begin("Write the plan", "completed", { auto_approve: true })
    const page = await open("/")
    await page.keyboard.press("Control+k")
    await page.keyboard.type("drain worker 431,")
    await page.getByRole("option").filter({ hasText: "Write call" }).waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(`**/#/s/${id}/row/*/tc_plan`)
    const call = page.locator('.call-row.linked[data-call="tc_plan"][open]')
    await call.waitFor()
    const address = await call.getByRole("link", { name: "Link to this call" }).getAttribute("href")
    expect(page.url().endsWith(address ?? "none")).toBe(true)
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Find" }).fill("PLAN.md")
    await page.getByRole("option").filter({ hasText: "changed file" }).click()
    await page.waitForURL(`**/#/s/${id}/changes`)
    await page.context().close()
  })

  it("keeps the filter of the list in the address, also when the page is loaded again", async () => {
    await begin("Survey", "completed")
    await begin("Break down", "failed")
    const page = await open("/")
    const names = page.locator("#tree .name")
    await names.filter({ hasText: "Survey" }).first().waitFor()
    await page.getByLabel("Show").selectOption("failed")
    await names.filter({ hasText: "Survey" }).first().waitFor({ state: "detached" })
    expect(new URL(page.url()).searchParams.get("show")).toBe("failed")
    await page.reload()
    await names.filter({ hasText: "Break down" }).first().waitFor()
    expect(await names.filter({ hasText: "Survey" }).count()).toBe(0)
    await page.getByLabel("Show").selectOption("")
    await names.filter({ hasText: "Survey" }).first().waitFor()
    expect(new URL(page.url()).search).toBe("")
    await page.context().close()
  })

  it("offers agents, models and directories for a new run, and keeps its draft", async () => {
    const page = await open("/#/start")
    expect(await page.evaluate<string>("document.activeElement.id")).toBe("start-message")
    await page.keyboard.type("Survey the draft")
    await page.getByLabel("Agent").selectOption("explore")
    expect(await page.locator("#start-model-options option").first().getAttribute("value")).toBe("main")
    expect(await page.locator("#start-cwd-options option").count()).toBeGreaterThan(0)
    await page.goto(`${project.url}/#/usage`)
    await page.reload()
    await page.goto(`${project.url}/#/start`)
    await expect.poll(() => page.getByLabel("Instruction").inputValue()).toBe("Survey the draft")
    await expect.poll(() => page.getByLabel("Agent").inputValue()).toBe("explore")
    await page.getByRole("button", { name: "Start the run" }).click()
    await page.locator("#rows").getByText("Surveyed.").waitFor()
    const id = /#\/s\/(\w+)/.exec(page.url())?.[1] ?? ""
    expect((await project.info(id)).agent).toBe("explore")
    await page.goto(`${project.url}/#/start`)
    expect(await page.getByLabel("Instruction").inputValue()).toBe("")
    await page.context().close()
  })

  it("takes a queued message back before the run reads it", async () => {
    const id = await begin("Think for long", "running")
    const page = await open(`/#/s/${id}`)
    await page.locator("#text").fill("Make it blue.")
    await page.getByRole("button", { name: "Steer" }).click()
    const queued = page.locator("[data-queued]")
    await queued.getByRole("button", { name: "Take back" }).click()
    await queued.waitFor({ state: "detached" })
    await page.getByText("Thought.").waitFor()
    expect(await page.getByText("Blue it is.").count()).toBe(0)
    await page.context().close()
  })

  it("continues from the home, with one button, what a limit has ended", async () => {
    const id = await begin("Look three times", "failed", { max_steps: 2 })
    const page = await open("/")
    await page.getByRole("button", { name: "Continue with 4 steps: Look three times" }).click()
    await page.waitForURL(`**/#/s/${id}`)
    await page.locator("#rows").getByText("Looked enough.").waitFor()
    await page.context().close()
  })

  it("shows the usage that was chosen last, also if the answer to an earlier choice comes after it", async () => {
    await begin("Survey", "completed")
    const page = await open("/")
    const held = Promise.withResolvers<Route>()
    await page.route(/\/v1\/usage\?.*group_by=day/, held.resolve)
    await page.goto(`${project.url}/#/usage`)
    const early = await held.promise
    await page.getByLabel("By").selectOption("model")
    const heading = page.locator("#usage thead th").first()
    await expect.poll(() => heading.textContent()).toBe("Model")
    const answered = page.waitForResponse(/group_by=day/)
    await early.continue()
    await (await answered).finished()
    // The page has read the answer when it has drawn the next frames.
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(await heading.textContent()).toBe("Model")
    await page.context().close()
  })

  it("shows its first text after at most 300 KB, with a thousand sessions", async () => {
    const store = await openStore({ url: "sqlite:", dataDir: project.directory.dataDir })
    try {
      for (let index = 0; index < 1_000; index += 1) {
        const id = `old${index}`
        await store.sessions.create(newSession(id, { title: `Ended before the others, as number ${index}` }))
        await store.sessions.patch(id, { status: "completed" })
      }
    } finally {
      await store.close()
    }
    const page = await open("/")
    const wire = await page.context().newCDPSession(page)
    let bytes = 0
    wire.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength))
    await wire.send("Network.enable")
    await wire.send("Network.setCacheDisabled", { cacheDisabled: true })
    await page.reload()
    await page.locator("#tree .name").first().waitFor()
    await page.getByRole("region", { name: "Needs you" }).waitFor()
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThanOrEqual(300_000)
    await page.context().close()
  })
})
