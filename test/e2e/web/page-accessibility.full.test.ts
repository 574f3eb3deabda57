import { readFile } from "node:fs/promises"
import type { AxeResults } from "axe-core"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeWith } from "../../helpers/needs.ts"
import { findChromium } from "./find-chromium.ts"
import { openBrowser, openPage } from "./open-browser.ts"
import { beginViews, type PageView } from "./page-views.ts"
import { openWebProject, type WebProject } from "./web-project.ts"

const chromium = { name: "Chromium", isAvailable: findChromium() !== undefined }
const widths = [390, 1100, 1440]
const themes = ["light", "dark"] as const

describeWith([chromium], "every view of the web page", () => {
  let project: WebProject
  let browser: Browser
  let views: readonly PageView[]
  let axe: string
  beforeAll(async () => {
    axe = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8")
    ;[project, browser] = await Promise.all([openWebProject(), openBrowser()])
    views = await beginViews(project)
  })
  afterAll(async () => {
    await browser?.close()
    await project?.remove()
  })

  const cases = widths.flatMap((width) => themes.map((theme) => [width, theme] as const))
  it.each(cases)("has no violation that axe finds, and no width of its own, at %i px, %s", async (width, theme) => {
    const found: string[] = []
    for (const { name, path, ready } of views) {
      const { page, complaints } = await openPage(browser, project.url + path, {
        token: project.token,
        viewport: { width, height: 900 },
        colorScheme: theme,
        reducedMotion: "reduce",
      })
      await page.locator(ready).first().waitFor({ timeout: 60_000 })
      // Evaluated by the debugger, which the content policy of the page does not concern.
      await page.evaluate(axe)
      const { violations } = await page.evaluate<AxeResults>("axe.run()")
      for (const { id, nodes } of violations)
        found.push(`${name}: ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`)
      if ((await page.evaluate("document.documentElement.scrollWidth")) !== width) found.push(`${name}: is wider`)
      // The view of a session that does not exist asks for one.
      found.push(...complaints.filter((text) => !/404/.test(text)).map((text) => `${name}: ${text}`))
      await page.context().close()
    }
    expect(found).toEqual([])
  })
})
