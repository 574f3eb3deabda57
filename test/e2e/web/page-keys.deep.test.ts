import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openStore } from "../../../store/open-store.ts"
import { describeWith } from "../../helpers/needs.ts"
import { findChromium } from "./find-chromium.ts"
import { openBrowser, openPage } from "./open-browser.ts"
import { openWebProject, type WebProject } from "./web-project.ts"

const chromium = { name: "Chromium", isAvailable: findChromium() !== undefined }

/** How long a person takes for one key: a fast typist, a usual one, and a slow one. */
const paces = [20, 60, 120]
/** Contains each letter that is a key of the page. */
const reason = "just say why this is one file, before any great plan"

/** The call or the field that has the focus, with its session. */
const focusOf = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const { activeElement: place } = document
    const session = place?.closest("[data-session]")?.dataset.session ?? "none"
    return session + " " + (place?.dataset.pending ?? place?.getAttribute("aria-label") ?? place?.tagName)
  })()`)

describeWith([chromium], "keys on the web page", () => {
  let project: WebProject
  let browser: Browser
  beforeAll(async () => {
    ;[project, browser] = await Promise.all([openWebProject(), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await project?.remove()
  })

  const begin = async (message: string, fields: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const id = await project.begin(message, fields)
    await project.reaches(id, "paused")
    return id
  }

  /** The decisions in the audit table of the store, oldest first, each with its session and its calls. */
  const audited = async (...ids: readonly string[]): Promise<readonly unknown[]> => {
    const store = await openStore({ url: "sqlite:", dataDir: project.directory.dataDir })
    try {
      const rows = await Promise.all(ids.map((sessionId) => store.audit.list({ sessionId })))
      return rows.flatMap((own) =>
        own
          .filter(({ action }) => ["decide", "steering"].includes(action))
          .map(({ action, detail }) => (action === "decide" ? detail["decisions"] : action))
          .toReversed(),
      )
    } finally {
      await store.close()
    }
  }

  /** Opens the pause of a session in a review, in which another session waits as well, and acts there. */
  const inReview = async (
    id: string,
    act: (page: Page, keys: Keys) => Promise<void>,
    { pace = 20, prepare }: { readonly pace?: number; readonly prepare?: (page: Page) => Promise<void> } = {},
  ): Promise<void> => {
    const { checkpoint_id: checkpoint } = await project.info(id)
    const { page } = await openPage(browser, project.url, { token: project.token })
    page.setDefaultTimeout(60_000)
    try {
      await prepare?.(page)
      await page.evaluate(`location.hash = "#/review/${checkpoint}"`)
      await expect.poll(() => focusOf(page), { timeout: 60_000 }).toContain(`${id} `)
      const writes: string[] = []
      page.on("request", (request) => {
        if (request.method() === "POST") writes.push(request.postData() ?? "")
      })
      const press = async (...names: readonly string[]): Promise<void> => {
        for (const name of names) await page.keyboard.press(name, { delay: pace })
      }
      const type = (text: string) => page.keyboard.type(text, { delay: pace })
      await act(page, { press, type, writes })
    } finally {
      await page.context().close()
    }
  }

  interface Keys {
    press(...names: readonly string[]): Promise<void>
    type(text: string): Promise<void>
    /** The bodies of what the page sent. */
    readonly writes: readonly string[]
  }

  describe.each(paces)("at %i ms per key", (pace) => {
    it("write the reason of a rejection after Escape into its field, and send it with Ctrl+Enter only", async () => {
      const [id, other] = [await begin("Split the file"), await begin("Check the build")]
      await inReview(
        id,
        async (page, { press, type, writes }) => {
          await press("e", "Escape", "n")
          await type(reason)
          expect(writes).toEqual([])
          expect(await page.locator(`[data-session="${id}"]`).getByLabel("Reason for tc_one").inputValue()).toBe(reason)
          await press("Control+Enter")
          await expect.poll(() => audited(id, other), { timeout: 60_000 }).toEqual([{ tc_one: "reject" }])
          expect(writes).toEqual([expect.stringContaining(JSON.stringify({ action: "reject", content: reason }))])
          expect(await focusOf(page)).toBe(`${id} tc_two`)
        },
        { pace },
      )
    })

    it("do not drop a reason that follows directly on an approval, nor approve anything with it", async () => {
      const [id, other] = [await begin("Split the file"), await begin("Check the build")]
      await inReview(
        id,
        async (page, { press, type }) => {
          const card = page.locator(`[data-session="${id}"]`)
          await press("y", "n")
          await type(reason)
          expect(await card.getByLabel("Reason for tc_one").inputValue()).toBe(reason)
          await press("Escape", "y", "Control+Enter", "n")
          await type(reason)
          expect(await card.getByLabel("Reason for tc_two").inputValue()).toBe(reason)
          await expect.poll(() => audited(id, other), { timeout: 60_000 }).toEqual([{ tc_one: "accept" }])
          await press("Control+Enter")
          await expect
            .poll(() => audited(id, other), { timeout: 60_000 })
            .toEqual([{ tc_one: "accept" }, { tc_two: "reject" }])
        },
        { pace },
      )
    })

    it("take nothing that is typed after the last call of a session into another one", async () => {
      const [id, other] = [await begin("Check the build"), await begin("Check the build, too")]
      await inReview(
        id,
        async (page, { press, type, writes }) => {
          await press("y", "Control+Enter", "n")
          await type(`${reason}\ny`)
          await press("Control+Enter")
          await expect.poll(() => audited(id, other), { timeout: 60_000 }).toEqual([{ tc_check: "accept" }])
          expect(await focusOf(page)).toBe(`${id} Decided for ${id}`)
          expect(await page.locator("#keys").textContent()).toContain("until you press Escape")
          expect(writes).toHaveLength(1)
          // Their own step leads there.
          await press("Escape", "Enter")
          await expect.poll(() => focusOf(page)).not.toContain(id)
          expect(await focusOf(page)).not.toContain("none")
        },
        { pace },
      )
    })

    it("decide nothing if a text is typed where nothing has the focus", async () => {
      const id = await begin("Split the file")
      await inReview(
        id,
        async (page, { press, type, writes }) => {
          for (const text of ["pay", "a jay", "any jolly nice way\nday", reason]) {
            await page.evaluate(`location.hash = "#/"; document.activeElement.blur()`)
            await page.locator("#home").waitFor()
            await type(text)
            await press("Control+Enter")
            await press("Escape")
          }
          expect(writes).toEqual([])
          expect(await audited(id)).toEqual([])
        },
        { pace },
      )
    })
  })

  it("keep writing to a field whose call was decided elsewhere, without sending the text", async () => {
    const [id, other] = [await begin("Split the file"), await begin("Check the build")]
    await inReview(id, async (page, { press, type, writes }) => {
      await press("n")
      await type("just say ")
      const { checkpoint_id } = await project.info(id)
      const decisions = { tc_one: { action: "reject" }, tc_two: { action: "reject" } }
      await project.post(`/v1/sessions/${id}/tools/decisions`, { checkpoint_id, decisions })
      await page.getByText("This call was decided elsewhere").waitFor()
      await type("why any")
      await press("Control+Enter", "Escape")
      await type("nay")
      await press("Control+Enter")
      expect(await page.locator("[data-off=gone]").getByLabel("Reason for tc_one").inputValue()).toBe(
        "just say why any",
      )
      expect(writes).toEqual([])
      expect(await audited(id, other)).toEqual([{ tc_one: "reject", tc_two: "reject" }])
    })
  })

  it("keep an answer whose question was answered elsewhere, and send an answer with Ctrl+Enter", async () => {
    const [gone, asked] = [
      await begin("Ask me", { pause_on_approval: true }),
      await begin("Ask me", { pause_on_approval: true }),
    ]
    await inReview(gone, async (page, { press, type, writes }) => {
      await type("Green, ")
      const { checkpoint_id } = await project.info(gone)
      await project.post(`/v1/sessions/${gone}/messages`, { message: "Red", checkpoint_id })
      await page.getByText("The question was answered elsewhere").waitFor()
      await type("say any")
      await press("Control+Enter")
      expect(writes).toEqual([])
      expect(await page.locator("textarea[data-off]").inputValue()).toBe("Green, say any")
    })
    await inReview(asked, async (page, { press, type, writes }) => {
      await type("Blue")
      await press("Enter")
      expect(writes).toEqual([])
      await press("Control+Enter")
      await expect.poll(() => writes.length).toBe(1)
      expect(await focusOf(page)).toContain(`${asked} `)
      await project.reaches(asked, "paused")
    })
  })

  it("disarm by any other key, by a change of the focus and after five seconds, and show what is armed", async () => {
    const id = await begin("Split the file")
    const prepare = (page: Page) => page.clock.install()
    await inReview(
      id,
      async (page, { press, writes }) => {
        const note = page.locator(`[data-session="${id}"] [data-pending="tc_one"] [role=status]`)
        const isArmed = async () => (await note.textContent()) !== ""
        for (const other of ["x", "ArrowDown", "Shift+y", "Control+c"]) {
          await press("y")
          expect(await isArmed()).toBe(true)
          await press(other === "Shift+y" ? "Shift" : other, "Control+Enter")
          expect(await isArmed(), other).toBe(false)
        }
        await press("y", "Tab")
        expect(await isArmed()).toBe(false)
        await press("Control+Enter")
        await page.locator(`[data-session="${id}"] [data-pending="tc_one"]`).focus()
        await page.clock.pauseAt(Date.now() + 3_600_000)
        await press("y")
        await page.clock.fastForward(4_900)
        expect(await isArmed()).toBe(true)
        await page.clock.fastForward(200)
        expect(await isArmed()).toBe(false)
        await page.clock.resume()
        await press("Control+Enter")
        expect(writes).toEqual([])
        expect(await audited(id)).toEqual([])
        await press("y", "Control+Enter")
        await expect.poll(() => audited(id), { timeout: 60_000 }).toEqual([{ tc_one: "accept" }])
      },
      { prepare },
    )
  })

  it("send a result only from its own field, never as a rejection", async () => {
    const id = await begin("Check the build")
    await inReview(id, async (page, { press, type, writes }) => {
      await page.getByRole("button", { name: "Use my result: Bash echo checked" }).last().click()
      await type("it builds, say yes")
      await press("Enter")
      expect(writes).toEqual([])
      await press("Control+Enter")
      await expect.poll(() => audited(id), { timeout: 60_000 }).toEqual([{ tc_check: "custom_result" }])
    })
  })

  it("do not discard a call that became pending while a message was being written", async () => {
    const id = await begin("Split the file")
    await inReview(id, async (page, { press, type, writes }) => {
      await page.evaluate(`location.hash = "#/s/${id}"`)
      await page.locator("#text").focus()
      await type("make it three parts")
      await press("Control+Enter")
      expect(writes).toEqual([])
      expect(await page.locator("#text").inputValue()).toBe("make it three parts")
    })
  })

  it("approve all but the calls that change protected files, whose own buttons do", async () => {
    const id = await begin("Set up the shell")
    await inReview(id, async (page) => {
      const card = page.locator(`[data-session="${id}"]`)
      await card.getByRole("button", { name: `Approve the other 2 calls of ${id}` }).click()
      await card.getByText(/^Still pending, since .*: Write \.envrc/).waitFor()
      expect(await audited(id)).toEqual([{ tc_notes: "accept", tc_try: "accept" }])
      expect(await focusOf(page)).toBe(`${id} tc_env`)
      await card.getByRole("button", { name: /^Approve: Write \.envrc/ }).click()
      await expect
        .poll(() => audited(id), { timeout: 60_000 })
        .toEqual([{ tc_notes: "accept", tc_try: "accept" }, { tc_env: "accept" }])
    })
  })
})
