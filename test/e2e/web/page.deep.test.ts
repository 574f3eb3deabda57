import { readFile } from "node:fs/promises"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openStore } from "../../../store/open-store.ts"
import { describeWith } from "../../helpers/needs.ts"
import { findChromium } from "./find-chromium.ts"
import { openBrowser, openPage, type WatchedPage } from "./open-browser.ts"
import { hostileText } from "./web-conversations.ts"
import { openWebProject, projectFiles, type WebProject } from "./web-project.ts"

const chromium = { name: "Chromium", isAvailable: findChromium() !== undefined }

describeWith([chromium], "the web page", () => {
  let project: WebProject
  let browser: Browser
  beforeAll(async () => {
    ;[project, browser] = await Promise.all([openWebProject(), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await project?.remove()
  })

  /** Opens a session's transcript, acts on it, and expects no problems. */
  const at = async (
    id: string,
    act: (page: WatchedPage["page"]) => Promise<void>,
    options?: Parameters<typeof openPage>[2],
  ) => {
    const { page, complaints, strangers } = await openPage(browser, `${project.url}/${id === "" ? "" : `#/s/${id}`}`, {
      token: project.token,
      ...options,
    })
    page.setDefaultTimeout(60_000)
    try {
      await act(page)
      expect(complaints).toEqual([])
      expect(strangers).toEqual([])
    } finally {
      await page.context().close()
    }
  }

  it("shows an edit as a diff, and the agent continues when it is approved there", async () => {
    const id = await project.begin("Raise the retries")
    await project.reaches(id, "paused")
    await at(id, async (page) => {
      const card = page.getByRole("article", { name: `Approval for ${id}` })
      await card.waitFor()
      expect(await card.locator("strong").textContent()).toBe("Edit retries.ts (+2 −1)")
      expect(await card.locator(".diff del").allTextContents()).toContain("-  attempts: 3,")
      expect(await card.locator(".diff ins").allTextContents()).toEqual(
        expect.arrayContaining(["+  attempts: 5,", "+  jitter: 0.2,"]),
      )
      expect(await page.title()).toMatch(/^\(\d+\) Adjutant$/)
      await card.getByRole("button", { name: "Approve: Edit retries.ts" }).click()
      await page.getByText("The retries are raised.").waitFor()
      await page.locator("#head .status.completed").waitFor()
      await card.waitFor({ state: "detached" })
      await page.getByLabel("Follow up: starts another run").fill("And now?")
      await page.getByRole("button", { name: "Send" }).click()
      await page.getByText("A follow-up was answered.").waitFor()
    })
  })

  it("rejects with a person's reason, which the agent is told", async () => {
    const id = await project.begin("Write the runbook")
    await project.reaches(id, "paused")
    await at(id, async (page) => {
      const card = page.getByRole("article", { name: `Approval for ${id}` })
      await card.getByRole("textbox", { name: "Reason for tc_write" }).fill("not before Monday")
      await card.getByRole("button", { name: "Reject: Write RUNBOOK.md" }).click()
      await card.locator("strong").getByText("Write RUNBOOK.md").waitFor({ state: "detached" })
      await page.locator('[data-call="tc_write"]').getByText("decided; takes effect with the other decisions").waitFor()
      await card.getByRole("button", { name: "Reject: Bash git add" }).click()
      await page.getByText("I wait until Monday.").waitFor()
    })
  })

  it("answers an agent that waits for input", async () => {
    const id = await project.begin("Ask me", { pause_on_approval: true })
    await project.reaches(id, "paused")
    await at(id, async (page) => {
      const card = page.getByRole("article", { name: `Approval for ${id}` })
      await card.getByRole("textbox", { name: "Your answer" }).fill("Green, please")
      await card.getByRole("button", { name: "Answer" }).click()
      await page.locator("#rows").getByText("You said: Green, please").first().waitFor()
    })
  })

  it("shows text while it is streamed, and accepts steering in between", async () => {
    await at("", async (page) => {
      // The text would end before a page that is opened now.
      const id = await project.begin("Count slowly")
      await page.evaluate(`location.hash = "#/s/${id}"`)
      const streaming = page.locator(".row.streaming .text")
      await streaming.getByText("one two").waitFor()
      expect(await streaming.textContent()).not.toContain("sixteen")
      await page.getByLabel("Steer: the run reads this at its next safe point").fill("faster")
      await page.getByRole("button", { name: "Steer", exact: true }).click()
      await page.getByText("Faster it is.").waitFor()
      await page.locator("#head .status.completed").waitFor()
      expect(await page.getByText("sixteen").count()).toBe(1)
      expect(await page.locator(".row.streaming").count()).toBe(0)
    })
  })

  it("fetches each message once, and keeps the reader's position", async () => {
    const id = await project.begin("Read at length")
    await project.reaches(id, "completed")
    await at(id, async (page) => {
      await page.getByText("The last chapter.").waitFor()
      const asked: string[] = []
      page.on("request", (request) => {
        if (request.method() === "GET" && request.url().includes("/messages")) asked.push(request.url())
      })
      await page.evaluate("document.querySelector('#rows').scrollTo(0, 40)")
      await page.evaluate("document.querySelector('#rows .row.assistant').dataset.kept = 'yes'")
      const sent = await fetch(`${project.url}/v1/sessions/${id}/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${project.token}` },
        body: JSON.stringify({ message: "And then?" }),
      })
      expect(sent.status).toBe(202)
      await page.getByText("An epilogue.").waitFor({ state: "attached" })
      const cursors = () => asked.map((url) => Number(new URL(url).searchParams.get("cursor")))
      // The streamed text can be there before the page fetches the message.
      await expect.poll(() => Math.min(...cursors())).toBe(4)
      expect(await page.evaluate("document.querySelector('#rows').scrollTop")).toBe(40)
      expect(await page.locator("#rows [data-kept]").count()).toBe(1)
      expect(await page.getByText("The last chapter.").count()).toBe(1)
    })
  })

  it("leads from a transcript to what is pending there", async () => {
    const id = await project.begin("Raise the retries, as shown")
    await project.reaches(id, "paused")
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const
    await at(
      id,
      async (page) => {
        await page.getByRole("link", { name: "Decide" }).tap()
        const card = page.getByRole("article", { name: `Approval for ${id}` })
        await card.getByRole("button", { name: "Approve: Edit retries.ts" }).waitFor({ state: "visible" })
        await card.getByRole("button", { name: "Approve: Edit retries.ts" }).tap()
        await card.waitFor({ state: "detached" })
      },
      phone,
    )
  })

  it("shows on every screen that the server is unreachable, until it is back", async () => {
    const { page } = await openPage(browser, project.url, {
      token: project.token,
      viewport: { width: 390, height: 844 },
    })
    try {
      await page.context().setOffline(true)
      await page.getByText("The server does not answer.").waitFor({ state: "visible", timeout: 60_000 })
      await page.context().setOffline(false)
      await page.getByText("The server does not answer.").waitFor({ state: "detached", timeout: 60_000 })
    } finally {
      await page.context().close()
    }
  })

  it("cancels a run", async () => {
    const id = await project.begin("Never end")
    await project.reaches(id, "running")
    await at(id, async (page) => {
      await page.getByRole("button", { name: "Cancel …" }).click()
      await page.getByRole("button", { name: "Cancel the run and its sub-agents" }).click()
      await page.locator("#head .status.cancelled").waitFor()
      expect((await project.info(id)).status).toBe("cancelled")
    })
  })

  it("calls the model of a run that waits for its provider when a person asks for it", async () => {
    const id = await project.begin("Run out of quota")
    await at(id, async (page) => {
      const retry = page.getByRole("button", { name: "Retry now" })
      await retry.waitFor()
      const answered = page.waitForResponse((response) => response.url().endsWith(`/v1/sessions/${id}/retry`))
      await retry.click()
      expect((await answered).status()).toBe(200)
      // The call fails again, and can be repeated again.
      await page.getByText(/The provider failed \(try (?:[2-9]|\d\d)\)/).waitFor()
      await retry.waitFor()
    })
  })

  it("forks at a step, and opens the fork", async () => {
    const id = await project.begin("Fork this")
    await project.reaches(id, "completed")
    await at(id, async (page) => {
      await page.locator("#rows .row.assistant").hover()
      await page.getByRole("button", { name: "Fork here" }).click()
      // Nothing is made before there is an instruction.
      await page.getByRole("button", { name: "Do not fork" }).click()
      await page.getByRole("button", { name: "Fork here" }).click()
      await page.getByLabel("Instruction for the fork").fill("Continue")
      await page.getByRole("button", { name: "Start the fork" }).click()
      await page.waitForURL((url) => url.hash !== `#/s/${id}`)
      const forked = new URL(page.url()).hash.slice("#/s/".length)
      expect((await project.info(forked)).forked_from).toBe(id)
      await page.locator(`#tree [data-id="${forked}"][aria-selected="true"]`).waitFor()
      await page.getByText("Repeated.").waitFor()
    })
  })

  it("shows children below their parent, with their current status", async () => {
    const id = await project.begin("Delegate")
    await at(id, async (page) => {
      const parent = page.locator(`#tree [data-id="${id}"]`)
      await parent.waitFor()
      expect(await parent.getAttribute("aria-level")).toBe("1")
      const children = page.locator(`#tree [data-id="${id}"] ~ [aria-level="2"]`)
      await children.getByText("tests", { exact: true }).waitFor()
      await children.getByText("docs", { exact: true }).waitFor()
      await expect.poll(() => children.locator(".mark.completed").count(), { timeout: 60_000 }).toBe(2)
    })
  })

  it("finds archived sessions, which its list otherwise omits", async () => {
    const id = await project.begin("Say it long ago")
    await project.reaches(id, "completed")
    const store = await openStore({ url: "sqlite:", dataDir: project.directory.dataDir })
    try {
      await store.sessions.archive(id, new Date().toISOString())
    } finally {
      await store.close()
    }
    const kept = await project.begin("Say it now")
    await at("", async (page) => {
      await page.locator(`#tree [data-id="${kept}"]`).waitFor()
      expect(await page.locator(`#tree [data-id="${id}"]`).count()).toBe(0)
      await page.getByLabel("Show").selectOption("archived")
      await page.locator(`#tree [data-id="${id}"]`).waitFor()
      expect(await page.locator(`#tree [data-id="${kept}"]`).count()).toBe(0)
    })
  })

  it("shows text with markup as text", async () => {
    const id = await project.begin("<b>Bold</b> <img src=x onerror=alert(1)>")
    await project.reaches(id, "completed")
    await at(id, async (page) => {
      await page.getByText(hostileText).first().waitFor()
      expect(await page.locator("main img, main script, main b").count()).toBe(0)
      expect(await page.title()).not.toBe("owned")
    })
  })

  it("shows Markdown that cannot act, and where a link leads", async () => {
    const id = await project.begin("Explain at length")
    await project.reaches(id, "completed")
    await at(id, async (page) => {
      const text = page.locator(".markdown", { hasText: "What I found" })
      await text.waitFor()
      expect(await text.locator("p").first().textContent()).toContain(
        "See the guide (example.org), [not this](javascript:",
      )
      expect(await text.locator("a").evaluateAll((links) => links.map((link) => link.outerHTML))).toEqual([
        expect.stringContaining('href="https://example.org/guide" target="_blank" rel="noopener noreferrer nofollow"'),
        expect.stringContaining('href="https://example.org/beacon.png"'),
      ])
      expect(await text.locator("img, b").count()).toBe(0)
    })
  })

  it("shows the images that a tool returned, and offers its PDF files for download", async () => {
    const id = await project.begin("Look at the chart")
    await project.reaches(id, "completed")
    await at(id, async (page) => {
      const thumbnail = page.getByRole("button", { name: "Enlarge PNG image, 640x360 pixels" })
      const shownWidth = () => page.evaluate<number>("document.querySelector('.thumbnail img')?.naturalWidth ?? 0")
      await expect.poll(shownWidth, { timeout: 60_000 }).toBe(640)
      expect((await thumbnail.boundingBox())?.width).toBeLessThanOrEqual(256)
      await thumbnail.click()
      const large = page.getByRole("button", { name: "Reduce PNG image, 640x360 pixels" })
      expect((await large.boundingBox())?.width).toBeGreaterThan(600)
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: /^Download PDF, 2 pages, .*: Read report\.pdf$/ }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(/^[0-9a-f]{12}\.pdf$/)
      expect(await readFile(await download.path())).toEqual(projectFiles["report.pdf"])
    })
  })

  it("can be used with the keyboard alone", async () => {
    const first = await project.begin("First by keys")
    await project.reaches(first, "completed")
    const second = await project.begin("Raise the retries again")
    await project.reaches(second, "paused")
    await at("", async (page) => {
      await page.locator(`#tree [data-id="${second}"]`).waitFor()
      const focused = () => page.evaluate("document.activeElement.dataset.id")
      await page.keyboard.press("j")
      await page.keyboard.press("Home")
      expect(await focused()).toBe(second)
      for (let presses = 0; presses < 40 && (await focused()) !== first; presses += 1) await page.keyboard.press("j")
      expect(await focused()).toBe(first)
      await page.keyboard.press("Home")
      await page.keyboard.press("Enter")
      await page.waitForURL((url) => url.hash === `#/s/${second}`)
      await page.locator("#head h2").getByText("Raise the retries again").waitFor()
      await page.keyboard.press("s")
      expect(await page.evaluate("document.activeElement.id")).toBe("text")
      await page.keyboard.press("j")
      expect(await page.locator("#text").inputValue()).toBe("j")
      await page.keyboard.press("Escape")
      await page.keyboard.press("a")
      await page.waitForURL((url) => url.hash.startsWith("#/review/"))
      const call = page.getByRole("article", { name: `Approval for ${second}` }).locator("[data-pending]")
      const focusedIn = (name: string) => page.evaluate(`document.activeElement.dataset.${name}`)
      await expect.poll(() => focusedIn("session"), { timeout: 60_000 }).toBe(second)
      await page.keyboard.press("Enter")
      await expect.poll(() => focusedIn("pending"), { timeout: 60_000 }).toBe("tc_edit")
      await page.keyboard.press("y")
      await page.keyboard.press("Control+Enter")
      await call.waitFor({ state: "detached" })
      await page.goBack()
      await page.waitForURL((url) => url.hash === `#/s/${second}`)
      await page.getByText("The retries are raised.").waitFor()
    })
  })

  it("fits a phone, one view at a time, in dark mode too", async () => {
    const id = await project.begin("Write the runbook, from a phone")
    await project.reaches(id, "paused")
    const phone = {
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
      colorScheme: "dark",
    } as const
    await at(
      id,
      async (page) => {
        await page.locator("#rows .row").first().waitFor()
        const views = page.locator("main section:visible")
        for (const [link, view] of [
          ["Sessions", "sessions"],
          ["Review", "review"],
          ["New run", "start"],
          ["Profiles", "profiles"],
        ] as const) {
          await page.getByRole("link", { name: link }).first().tap()
          await page.locator(`#${view}`).waitFor()
          expect(await views.evaluateAll((all) => all.map(({ id: name }) => name))).toEqual([view])
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390)
        }
        await page.getByRole("link", { name: "Review" }).tap()
        const card = page.getByRole("article", { name: `Approval for ${id}` })
        await card.getByRole("button", { name: "Approve" }).first().waitFor()
        const background = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor")
        expect(Number(/\d+/.exec(background)?.[0])).toBeLessThan(64)
      },
      phone,
    )
  })
})

describeWith([chromium], "the web page of a server with a token", () => {
  it("asks for the token once, keeps it for all tabs, and asks again after a wrong one", async () => {
    const project = await openWebProject("a-token-of-the-test")
    const browser = await openBrowser()
    try {
      const id = await project.begin("Say hello")
      await project.reaches(id, "completed")
      const { page } = await openPage(browser, project.url)
      for (const token of ["a-wrong-token", "a-token-of-the-test"]) {
        await page.getByRole("dialog").waitFor()
        await page.getByRole("textbox", { name: "Access token" }).fill(token)
        await page.getByRole("button", { name: "Continue" }).click()
      }
      await page.locator(`#tree [data-id="${id}"]`).click()
      await page.getByText("You wrote:").waitFor()
      await page.reload()
      await page.locator(`#tree [data-id="${id}"]`).waitFor()
      expect(await page.getByRole("dialog").isVisible()).toBe(false)
      const second = await page.context().newPage()
      await second.goto(project.url)
      await second.locator(`#tree [data-id="${id}"]`).waitFor()
      expect(await second.evaluate("JSON.stringify(sessionStorage) + document.cookie")).toBe("{}")
    } finally {
      await browser.close()
      await project.remove()
    }
  })
})

describeWith([chromium], "the link that adjutant dev prints", () => {
  it("signs the page in once, and leaves neither its code nor the token in the address", async () => {
    const project = await openWebProject()
    const browser = await openBrowser()
    try {
      const id = await project.begin("Say hello")
      await project.reaches(id, "completed")
      const link = /http:\S+#code=\S+/.exec(project.stdout())?.[0] ?? ""
      const { page, complaints } = await openPage(browser, link)
      await page.locator(`#tree [data-id="${id}"]`).waitFor()
      expect(page.url()).toBe(`${project.url}/`)
      expect(await page.evaluate("document.referrer + JSON.stringify(sessionStorage) + document.cookie")).toBe("{}")
      await page.reload()
      await page.locator(`#tree [data-id="${id}"]`).waitFor()
      expect(complaints).toEqual([])
      const { page: later } = await openPage(browser, link)
      await later.getByRole("dialog").waitFor()
      await later.getByText("This link was used already").waitFor()
      expect(await later.evaluate("localStorage.getItem('adjutant-token')")).toBeNull()
    } finally {
      await browser.close()
      await project.remove()
    }
  })
})
