import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { issuedLinkSchema } from "../../../contracts/http/approvals.ts"
import { describeWith } from "../../helpers/needs.ts"
import { findChromium } from "./find-chromium.ts"
import { longConversations, longLines } from "./long-conversations.ts"
import { openBrowser, openPage } from "./open-browser.ts"
import { openWebProject, type WebProject } from "./web-project.ts"

const chromium = { name: "Chromium", isAvailable: findChromium() !== undefined }
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const
const desktop = { viewport: { width: 1440, height: 900 } } as const
const sizes = [
  ["a phone", phone],
  ["a desktop", desktop],
] as const

describeWith([chromium], "what is decided on the web page is shown whole", () => {
  let project: WebProject
  let browser: Browser
  beforeAll(async () => {
    ;[project, browser] = await Promise.all([openWebProject(undefined, longConversations), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await project?.remove()
  })

  const begin = async (message: string, fields: object = {}): Promise<string> => {
    const id = await project.begin(message, { ...fields })
    await project.reaches(id, "paused")
    return id
  }

  const open = async (path: string, options: object = desktop): Promise<Page> => {
    const { page } = await openPage(browser, project.url + path, { token: project.token, ...options })
    page.setDefaultTimeout(30_000)
    return page
  }

  const linkTo = async (id: string): Promise<string> => {
    const { checkpoint_id: checkpointId } = await project.info(id)
    const answer = await project.post("/v1/approval-links", { checkpoint_id: checkpointId })
    return new URL(issuedLinkSchema.parse(await answer.json()).url).pathname
  }

  const added = longLines.map((line) => `+${line}`)

  it.each([
    ["review", "#/review"],
    ["session", "#/s/"],
  ])("all lines of a long change, on request, in the %s", async (_, address) => {
    const id = await begin("Write the plan")
    const page = await open(address === "#/s/" ? `/#/s/${id}` : `/${address}`)
    const card = page.getByRole("article", { name: `Approval for ${id}` })
    await card.getByText("This is the beginning.").waitFor()
    expect(await card.locator(".diff ins").count()).toBeLessThan(432)
    await card.getByRole("button", { name: "Show the whole change: Write PLAN.md" }).click()
    await card.getByText("This is the beginning.").waitFor({ state: "detached" })
    expect(await card.locator(".diff ins").allTextContents()).toEqual(added)
    await card.getByRole("button", { name: "Reject: Write PLAN.md" }).click()
    await card.waitFor({ state: "detached" })
    await page.context().close()
    await project.reaches(id, "completed")
  })

  it("all lines of a long change, on request, on the page of a link", async () => {
    const page = await open(await linkTo(await begin("Write the plan")), phone)
    expect(await page.locator(".diff ins").count()).toBeLessThan(432)
    await page.getByRole("link", { name: "Show the whole change" }).click()
    await page.waitForURL("**whole=true**")
    expect(await page.locator(".diff ins").allTextContents()).toEqual(added)
    await page.context().close()
  })

  it("at least fifteen lines of a change on a phone, with the buttons in reach", async () => {
    const id = await begin("Write the plan")
    for (const path of [`/#/s/${id}`, "/#/review"]) {
      const page = await open(path, phone)
      const card = page.getByRole("article", { name: `Approval for ${id}` })
      await card.locator(".diff ins").nth(30).waitFor()
      // The page shows the end of the session when it has read it, which can be after the first lines are there.
      // The review has the cards of other sessions, too.
      const lines = `document.querySelectorAll('article[aria-label="Approval for ${id}"] .diff ins')`
      const toMiddle = `${lines}[30].scrollIntoView({ block: "center" })`
      const wholeLines = `[...${lines}].filter((line) => {
        const { top, bottom, left, width } = line.getBoundingClientRect()
        return [top + 1, bottom - 1].every((y) => line.contains(document.elementFromPoint(left + width / 2, y)))
      }).length`
      const shownLines = async (): Promise<number> => {
        await page.evaluate(toMiddle)
        return await page.evaluate<number>(wholeLines)
      }
      await expect.poll(shownLines).toBeGreaterThanOrEqual(15)
      for (const name of ["Approve: Write PLAN.md", "Reject …: Write PLAN.md"]) {
        const box = await card.getByRole("button", { name }).boundingBox()
        expect(box?.y ?? 0).toBeGreaterThan(0)
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844)
        expect(box?.height ?? 0).toBeGreaterThanOrEqual(44)
      }
      await card.getByRole("button", { name: "Reject …: Write PLAN.md" }).click()
      await expect
        .poll(() => page.evaluate<string>("document.activeElement.getAttribute('aria-label')"))
        .toBe("Reason for tc_plan")
      await page.context().close()
    }
    await project.post(`/v1/sessions/${id}/cancel`, {})
    await project.reaches(id, "cancelled")
  })

  it("all of a session, without its buttons, on paper", async () => {
    const id = await project.begin("Look many times")
    await project.reaches(id, "completed")
    const page = await open(`/#/s/${id}`)
    const rows = page.locator("#rows li[data-index]")
    await rows.first().waitFor()
    await expect.poll(() => rows.count()).toBeLessThan(22)
    await page.emulateMedia({ media: "print" })
    await expect.poll(() => rows.count()).toBe(22)
    expect(await page.getByRole("button").count()).toBe(0)
    expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBeGreaterThan(4_000)
    await page.emulateMedia({ media: "screen" })
    await expect.poll(() => rows.count()).toBeLessThan(22)
    await page.context().close()
  })

  /** Returns whether the last line of a question is on the screen, and nothing else over it. */
  const isEndSeen = (page: Page): Promise<boolean> =>
    page.evaluate<boolean>(`(() => {
      const last = [...document.querySelectorAll("article .why p:last-child, main .message p:last-child")].at(-1)
      const { top, bottom, left } = last.getBoundingClientRect()
      return top >= 0 && bottom <= innerHeight && last === document.elementFromPoint(left + 20, (top + bottom) / 2)
    })()`)

  const scrollingParts = (page: Page): Promise<number> =>
    page.evaluate<number>(`[...document.querySelectorAll(".why, .why *, .message, .message *")].filter(
      (inner) => inner.clientHeight > 0 && inner.scrollHeight > inner.clientHeight + 1,
    ).length`)

  const question = "Do I begin with eu-1 or with us-1?"

  it.each(sizes)("the end of a long question above the field that has the focus, on %s", async (_, size) => {
    const id = await begin("Ask at length", { pause_on_approval: true })
    const paths = [`/#/s/${id}`, `/#/review`, await linkTo(id)]
    for (const path of paths) {
      const page = await open(path, size)
      const card = path.startsWith("/#/")
        ? page.getByRole("article", { name: `Approval for ${id}` })
        : page.locator("main")
      await card.locator("table").waitFor()
      expect(await card.locator("table td").first().textContent()).toBe("eu-1")
      expect(await card.getByText(question).count()).toBe(1)
      expect(await scrollingParts(page)).toBe(0)
      await card.getByLabel("Your answer").focus()
      await expect.poll(() => isEndSeen(page)).toBe(true)
      await page.context().close()
    }
  })
})
