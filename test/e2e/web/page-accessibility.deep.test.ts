import { readFile } from "node:fs/promises"
import type { AxeResults, RunOptions } from "axe-core"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeWith } from "../../helpers/needs.ts"
import { findChromium } from "./find-chromium.ts"
import { openBrowser } from "./open-browser.ts"
import { beginViews, emptyViews, openView, type PageView } from "./page-views.ts"
import { openWebProject, type WebProject } from "./web-project.ts"

const chromium = { name: "Chromium", isAvailable: findChromium() !== undefined }
const widths = [390, 1100, 1440]
/** The rules of axe about colours. All others see the same in both themes. */
const colourRules = ["color-contrast", "link-in-text-block"]

describeWith([chromium], "every view of the web page, and every page of a link", () => {
  let project: WebProject
  let browser: Browser
  let views: readonly PageView[] | undefined
  let axe: string
  beforeAll(async () => {
    axe = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8")
    ;[project, browser] = await Promise.all([openWebProject(), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await project?.remove()
  })

  const violationsOf = async (page: Page, options: RunOptions): Promise<readonly string[]> => {
    const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`)
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`)
  }

  /** Returns what is wrong with views in both themes: what axe finds, a width of their own, and what the browser reports. */
  const faultsOf = async (some: readonly PageView[], width: number): Promise<readonly string[]> => {
    const found: string[] = []
    for (const view of some) {
      const options = { viewport: { width, height: 900 }, colorScheme: "light", reducedMotion: "reduce" } as const
      const { page, complaints } = await openView(browser, project, { view, ...options })
      // Evaluated by the debugger, which the content policy of the page does not concern.
      await page.evaluate(axe)
      const faults = [...(await violationsOf(page, {}))]
      if ((await page.evaluate("document.documentElement.scrollWidth")) !== width) faults.push("is wider")
      await page.emulateMedia({ colorScheme: "dark" })
      const inDark = await violationsOf(page, { runOnly: { type: "rule", values: colourRules } })
      faults.push(...inDark.map((fault) => `in dark, ${fault}`))
      // Some views show what the server refuses (a session that does not exist, a token that is missing, a settled link), or that it is unreachable.
      faults.push(...complaints.filter((text) => !/status of (?:401|404|409)|ERR_INTERNET_DISCONNECTED/.test(text)))
      found.push(...faults.map((fault) => `${view.name}: ${fault}`))
      await page.context().close()
    }
    return found
  }

  it("has no violation that axe finds while there is no session", async () => {
    expect(await faultsOf(emptyViews, 390)).toEqual([])
  }, 300_000)

  it.each(widths)(
    "has no violation that axe finds, and no width of its own, at %i px",
    async (width) => {
      views ??= await beginViews(project)
      expect(await faultsOf(views, width)).toEqual([])
    },
    600_000,
  )
})
