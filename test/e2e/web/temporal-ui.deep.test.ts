import { mkdir } from "node:fs/promises"
import path from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeWith } from "../../helpers/needs.ts"
import { findChromium } from "./find-chromium.ts"
import { openBrowser, openPage } from "./open-browser.ts"
import { openWebProject, type WebProject } from "./web-project.ts"

const chromium = { name: "Chromium", isAvailable: findChromium() !== undefined }
const pictures = path.resolve(import.meta.dirname, "../../../docs/pictures")

/** Takes a picture for docs/operators.md, only on request: `ADJUTANT_PICTURES=1`. */
const picture = async (page: Page, name: string): Promise<void> => {
  if (process.env["ADJUTANT_PICTURES"] !== "1") return
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: path.join(pictures, `${name}.png`) })
}

/** Sends a signal as an operator does: by the menu, the list of names and the field for the input. */
const sendSignal = async (page: Page, name: string, input: string, shown?: string): Promise<void> => {
  await page.getByRole("button", { name: "More Actions" }).click()
  await page.getByTestId("signal-button").filter({ visible: true }).click()
  const dialog = page.getByTestId("signal-confirmation-modal").filter({ visible: true })
  await dialog.getByTestId("signal-select-button").click()
  await dialog
    .getByRole("option")
    .filter({ has: page.getByText(name, { exact: true }) })
    .click()
  await dialog.getByRole("textbox").filter({ visible: true }).last().click()
  await page.keyboard.insertText(input)
  if (shown !== undefined) await picture(page, shown)
  await dialog.getByRole("button", { name: "Submit" }).click()
  await dialog.waitFor({ state: "hidden" })
}

describeWith([chromium], "the Temporal UI", () => {
  let project: WebProject
  let browser: Browser
  beforeAll(async () => {
    ;[project, browser] = await Promise.all([openWebProject(), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await project?.remove()
  })

  it("finds a paused session, shows what to decide, survives a malformed signal, and approves", async () => {
    const id = await project.begin("Raise the retries")
    await project.reaches(id, "paused")
    const ui = /Temporal UI +(\S+)/.exec(project.stdout())?.[1] ?? ""
    const query = encodeURIComponent('AgentStatus="paused"')
    const options = { viewport: { width: 1280, height: 720 } }
    const { page } = await openPage(browser, `${ui}/namespaces/default/workflows?query=${query}`, options)
    page.setDefaultTimeout(60_000)
    const link = page.getByRole("link", { name: `subagent/${id}` }).first()
    await link.waitFor()
    await picture(page, "temporal-paused")
    await link.click()
    await page.getByTestId("user-metadata-tab").click()

    // The first frame shows the summary, the last one the current details.
    await page.getByText("Current Details").waitFor()
    const details = page.frameLocator("iframe[title=output] >> nth=-1").locator("body")
    await details.getByText("To decide:").waitFor()
    await details.getByText("Edit retries.ts (+2 −1)").waitFor()
    expect(await details.innerText()).toMatch(/^To decide: More Actions → Send a Signal, name approve/)
    expect(await details.locator("ul > li").count()).toBe(1)
    // Everything that says something is inside of the frame, which is shorter than its content.
    const frame = await page.locator("iframe[title=output]").last().boundingBox()
    const status = await details.getByText("Status:").boundingBox()
    expect((status?.y ?? 0) + (status?.height ?? 0)).toBeLessThanOrEqual((frame?.y ?? 0) + (frame?.height ?? 0))
    const summary = page.frameLocator("iframe[title=output] >> nth=0").locator("body")
    expect(await summary.innerText()).toContain("Raise the retries")
    await picture(page, "temporal-details")

    await sendSignal(page, "approve", '{"nonsense": true}')
    await expect
      .poll(
        async () => {
          await page.reload()
          await details.getByText("Status:").waitFor()
          return await details.innerText()
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toContain('expected "all"')
    expect((await project.info(id)).status).toBe("paused")

    await sendSignal(page, "approve", '"all"', "temporal-signal")
    await project.reaches(id, "completed")
    await page.context().close()
  }, 300_000)
})
