// Writes screenshots of all views of the web page, in every size and theme, to `shots/`.
import { mkdir, rm } from "node:fs/promises"
import path from "node:path"
import { openBrowser, openPage } from "../test/e2e/web/open-browser.ts"
import { beginViews } from "../test/e2e/web/page-views.ts"
import { openWebProject } from "../test/e2e/web/web-project.ts"

const folder = path.resolve(import.meta.dirname, "../shots")
const widths = [390, 1100, 1440]
const themes = ["light", "dark"] as const

await rm(folder, { recursive: true, force: true })
await mkdir(folder)
const project = await openWebProject()
const browser = await openBrowser()
try {
  const views = await beginViews(project)
  for (const width of widths)
    for (const colorScheme of themes)
      for (const { name, path: place, ready } of views) {
        const viewport = { width, height: 900 }
        const { page } = await openPage(browser, project.url + place, { token: project.token, viewport, colorScheme })
        await page.locator(ready).first().waitFor()
        await page.screenshot({ path: path.join(folder, `${name}-${width}-${colorScheme}.png`) })
        await page.context().close()
      }
  process.stdout.write(`wrote ${views.length * widths.length * themes.length} screenshots to shots/\n`)
} finally {
  await browser.close()
  await project.remove()
}
