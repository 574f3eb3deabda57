import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openStore } from "../../../store/open-store.ts"
import { describeWith } from "../../helpers/needs.ts"
import { newSession } from "../../unit/store/store-fixture.ts"
import { findChromium } from "./find-chromium.ts"
import { openBrowser, openPage } from "./open-browser.ts"
import { openWebProject, type WebProject } from "./web-project.ts"

const chromium = { name: "Chromium", isAvailable: findChromium() !== undefined }

/** How many sessions the store has, and how many of them wait for a decision about one call. */
const [all, single] = [230, 9]
const ends = ["completed", "failed", "cancelled", "timed_out"] as const

/** Adds sessions that ended, all newer than the others. */
const addEnded = async (project: WebProject, count: number): Promise<void> => {
  const store = await openStore({ url: "sqlite:", dataDir: project.directory.dataDir })
  try {
    for (let index = 0; index < count; index += 1) {
      const id = `ended${index}`
      await store.sessions.create(newSession(id, { title: `Ended before, ${index}` }))
      await store.sessions.patch(id, { status: ends[index % ends.length] ?? "completed" })
    }
  } finally {
    await store.close()
  }
}

/** Starts sessions one after another, so that it is known which one has waited longest. Returns their ids in that order. */
const beginPaused = async (project: WebProject): Promise<readonly string[]> => {
  const ids: string[] = []
  const messages = ["Write the runbook", ...Array.from({ length: single }, (_, n) => `Check the build ${n}`), "Ask me"]
  for (const message of messages) {
    const id = await project.begin(message, message === "Ask me" ? { pause_on_approval: true } : {})
    await project.reaches(id, "paused")
    ids.push(id)
  }
  return ids
}

/** The session and the call, or the answer, where the keys of a person go. */
const focusOf = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const { activeElement: place } = document
    const session = place?.closest("[data-session]")?.dataset.session ?? "none"
    return session + " " + (place?.dataset.pending ?? place?.tagName ?? "")
  })()`)

/** What the page asked of the server: the kind of each request, without the place in a list or in the stream of events. */
const watchRequests = (page: Page) => {
  const reads = new Set<string>()
  const writes: string[] = []
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (!pathname.startsWith("/v1/")) return
    if (request.method() === "GET") reads.add(`${pathname} ${searchParams.get("status") ?? ""}`.trim())
    else writes.push(pathname)
  })
  return { reads, writes }
}

describeWith([chromium], `the web page of a store with ${all} sessions`, () => {
  let project: WebProject
  let browser: Browser
  let waiting: readonly string[]
  let running: string
  beforeAll(async () => {
    ;[project, browser] = await Promise.all([openWebProject(), openBrowser()])
    waiting = await beginPaused(project)
    running = await project.begin("Work for long")
    await project.reaches(running, "running")
    await addEnded(project, all - waiting.length - 1)
  })
  afterAll(async () => {
    await browser?.close()
    await project?.remove()
  })

  it("lists what is pending first, and leads an approver from each decision, which takes two keys, to the next session by a step of their own", async () => {
    const { page, complaints } = await openPage(browser, project.url, { token: project.token })
    page.setDefaultTimeout(60_000)
    const { reads, writes } = watchRequests(page)
    await page.reload()
    const trees = page.locator("#tree [role=tree]")
    const idsOf = (group: string) =>
      page
        .locator(`#tree [role=tree][aria-label="Sessions: ${group}"] [data-id]`)
        .evaluateAll((items) => items.map(({ dataset }) => dataset["id"]))
    await expect.poll(() => idsOf("Needs you"), { timeout: 60_000 }).toEqual(waiting.toReversed())
    expect(await trees.first().getAttribute("aria-label")).toBe("Sessions: Needs you")
    expect(await idsOf("Running")).toEqual([running])
    // A page of the newest, none of which waits: what ended long ago comes when it is asked for.
    expect(await idsOf("Recent")).toHaveLength(100)
    const calls = waiting.length
    await expect.poll(() => page.title(), { timeout: 60_000 }).toBe(`(${calls + 1}) Adjutant`)

    let presses = 0
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key)
      presses += keys.length
    }
    const reaches = async (place: string): Promise<void> => {
      await expect.poll(() => focusOf(page), { timeout: 60_000 }).toBe(place)
    }
    await press("a")
    const [runbook = "", ...others] = waiting
    const question = others.pop()
    const enters = async (place: string): Promise<void> => {
      await press("Enter")
      await reaches(place)
    }
    await reaches(`${runbook} ARTICLE`)
    await enters(`${runbook} tc_write`)
    await press("n")
    await page.keyboard.type("not before Monday")
    await press("Control+Enter")
    await reaches(`${runbook} tc_bash`)
    await press("y", "Control+Enter")
    await reaches(`${runbook} ARTICLE`)
    // One is left for later; all these calls have the same id.
    const [left, ...next] = others
    await enters(`${left} tc_check`)
    await press("j")
    await reaches(`${next[0]} ARTICLE`)
    for (const id of next) {
      await enters(`${id} tc_check`)
      await press("y", "Control+Enter")
      await reaches(`${id} ARTICLE`)
    }
    await enters(`${question} TEXTAREA`)
    await page.keyboard.type("Green")
    await press("Control+Enter")
    await reaches(`${question} ARTICLE`)
    // Past the cards whose decisions are not applied yet.
    for (let backs = 0; backs < calls && (await focusOf(page)) !== `${left} ARTICLE`; backs += 1)
      await page.keyboard.press("k")
    await reaches(`${left} ARTICLE`)
    await enters(`${left} tc_check`)
    await press("y", "Control+Enter")
    // The session asks again after the answer.
    await expect.poll(() => writes.length, { timeout: 60_000 }).toBe(calls + 1)
    await expect.poll(() => page.locator("[data-pending]").count(), { timeout: 60_000 }).toBe(0)

    // Two for each decision, one for the answer, one to go into each session, and two: to open the review, and to leave one for later.
    expect(presses).toBe(2 * calls + 1 + (waiting.length + 1) + 2)
    expect(writes.toSorted()).toEqual(
      [
        ...[runbook, runbook, ...others].map((id) => `/v1/sessions/${id}/tools/decisions`),
        `/v1/sessions/${question}/messages`,
      ].toSorted(),
    )
    // However many sessions there are, the page reads lists of them, and by itself only the one that works: the home shows what it does.
    expect([...reads].toSorted()).toEqual(
      [
        "/v1/approvals",
        "/v1/caller",
        "/v1/events",
        "/v1/sessions",
        "/v1/sessions paused",
        "/v1/sessions pending",
        "/v1/sessions running",
        `/v1/sessions/${running}/events`,
        `/v1/sessions/${running}/messages`,
        `/v1/targets/${running}`,
      ].toSorted(),
    )
    expect(complaints).toEqual([])
    for (const id of [runbook, ...others]) await project.reaches(id, "completed")
  }, 300_000)
})
