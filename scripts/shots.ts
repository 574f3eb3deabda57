// Writes screenshots of all views of the web page and of approval links, in every size and theme, to `shots/`. Words restrict them to those whose names
// contain one, such as `media` or `1440-dark`. With --docs, it writes the pictures of the page and of a terminal to `docs/pictures` instead.
import { mkdir, rm } from "node:fs/promises"
import path from "node:path"
import { openBrowser } from "../test/e2e/web/open-browser.ts"
import { beginViews, emptyViews, openView, type PageView } from "../test/e2e/web/page-views.ts"
import { openWebProject } from "../test/e2e/web/web-project.ts"
import { drawTerminal, takePages } from "./pictures/docs-pictures.ts"

const folder = path.resolve(import.meta.dirname, "../shots")
const widths = [390, 1100, 1440]
const themes = ["light", "dark"] as const

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"))
const isWanted = (name: string): boolean => words.length === 0 || words.some((word) => name.includes(word))

const project = await openWebProject()
const browser = await openBrowser()

/** Takes a picture of each view in each size and theme; returns how many. */
const shoot = async (views: readonly PageView[]): Promise<number> => {
  let count = 0
  for (const width of widths)
    for (const colorScheme of themes)
      for (const view of views) {
        const name = `${view.name}-${width}-${colorScheme}.png`
        if (!isWanted(name)) continue
        const viewport = { width, height: 900 }
        const { page } = await openView(browser, project, { view, viewport, colorScheme, reducedMotion: "reduce" })
        await page.screenshot({ path: path.join(folder, name) })
        await page.context().close()
        count += 1
      }
  return count
}

const shootAll = async (): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  const count = (await shoot(emptyViews)) + (await shoot(await beginViews(project)))
  process.stdout.write(`wrote ${count} screenshots to shots/\n`)
}

const drawDocs = async (): Promise<void> => {
  await drawTerminal()
  await takePages(browser, project)
  process.stdout.write("wrote the pictures of the page and of a terminal to docs/pictures/\n")
}

try {
  await (process.argv.includes("--docs") ? drawDocs() : shootAll())
} finally {
  await browser.close()
  await project.remove()
}
