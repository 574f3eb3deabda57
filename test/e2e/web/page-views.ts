import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { issuedLinkSchema } from "../../../contracts/http/approvals.ts"
import { openPage, type WatchedPage } from "./open-browser.ts"
import type { WebProject } from "./web-project.ts"

export interface PageView {
  readonly name: string
  /** What follows the server's address. */
  readonly path: string
  /** What is there when the page can be used. */
  readonly ready: string
  /** What a person does to get from there to the view. */
  readonly act?: (page: Page) => Promise<void>
  /** The page has no token. */
  readonly isSignedOut?: true
}

/** The views of a server without any session. */
export const emptyViews: readonly PageView[] = [
  { name: "empty", path: "/", ready: "#sessions .empty" },
  { name: "empty-review", path: "/#/review", ready: "#review .empty" },
]

/** Opens a view as a person sees it first. */
export const openView = async (
  browser: Browser,
  project: Pick<WebProject, "url" | "token">,
  { view, ...options }: BrowserContextOptions & { readonly view: PageView },
): Promise<WatchedPage> => {
  const { path, ready, act, isSignedOut } = view
  const token = isSignedOut === true ? {} : { token: project.token }
  const watched = await openPage(browser, project.url + path, { ...token, ...options })
  watched.page.setDefaultTimeout(60_000)
  await watched.page.locator(ready).first().waitFor()
  await act?.(watched.page)
  return watched
}

const session = (id: string, tab = ""): string => `/#/s/${id}${tab}`

const starter = (project: WebProject) => {
  const begin = async (message: string, status: string, fields: Readonly<Record<string, unknown>> = {}) => {
    const id = await project.begin(message, fields)
    await project.reaches(id, status)
    return id
  }
  return begin
}
type Begin = ReturnType<typeof starter>

/** Returns the path of a new link to what is pending in a session. */
const linkTo = async (project: WebProject, id: string, to: string): Promise<string> => {
  const { checkpoint_id: checkpointId } = await project.info(id)
  const answer = await project.post("/v1/approval-links", { checkpoint_id: checkpointId, to })
  const { url } = issuedLinkSchema.parse(await answer.json())
  return new URL(url).pathname
}

/** Starts what is pending for a person, and returns the views of the page and of links that show it. */
const beginPaused = async (project: WebProject, begin: Begin): Promise<readonly PageView[]> => {
  const edit = await begin("Raise the retries", "paused")
  const several = await begin("Set up the shell", "paused")
  const question = await begin("Ask me", "paused", { pause_on_approval: true })
  const parent = await begin("Let a child write", "paused")
  const settled = await begin("Write the runbook", "paused")
  const openOffline = async (page: Page): Promise<void> => {
    await page.context().setOffline(true)
    await page.getByText("The server does not answer.").waitFor()
  }
  const settledLink = await linkTo(project, settled, "ana@example.org")
  await project.post(settledLink, { action: "reject", content: "not before Monday" })
  await project.reaches(settled, "completed")
  const openEdit = async (page: Page): Promise<void> => {
    await page.getByRole("button", { name: "Edit: Edit retries.ts" }).click()
    await page.locator("textarea.code").waitFor()
  }
  return [
    { name: "paused", path: session(edit), ready: "#rows .card .diff" },
    { name: "offline", path: session(edit), ready: "#rows .card .diff", act: openOffline },
    { name: "paused-calls", path: session(several), ready: "#rows .card .all" },
    { name: "question", path: session(question), ready: "#rows .card textarea" },
    { name: "parent", path: session(parent), ready: ".banner.wait a" },
    { name: "agents", path: session(parent, "/agents"), ready: ".agents .agent a" },
    { name: "timeline-waits", path: session(edit, "/timeline"), ready: ".timeline .span.wait" },
    { name: "rejected", path: session(settled), ready: "#rows .outcome.bad" },
    { name: "review", path: "/#/review", ready: "#review .diff" },
    { name: "edit", path: "/#/review", ready: "#review .diff", act: openEdit },
    { name: "link", path: await linkTo(project, edit, "ana@example.org"), ready: ".diff" },
    { name: "link-calls", path: await linkTo(project, several, "webhook"), ready: ".summary" },
    { name: "link-question", path: await linkTo(project, question, "ana@example.org"), ready: "textarea" },
    { name: "link-settled", path: settledLink, ready: "h1" },
  ]
}

/** Starts sessions that do not wait for a person, and returns the views that show them. */
const beginOthers = async (project: WebProject, begin: Begin): Promise<readonly PageView[]> => {
  const long = await begin("Explain at length", "completed", { budget_tokens: 100_000, timeout_seconds: 600 })
  const limited = await begin("Explain at length, but briefly", "failed", { max_steps: 1 })
  const failed = await begin("Fail for good", "failed")
  const timedOut = await begin("Never end in time", "timed_out", { timeout_seconds: 1 })
  const cancelled = await begin("Never end", "running")
  await project.post(`/v1/sessions/${cancelled}/cancel`, {})
  await project.reaches(cancelled, "cancelled")
  const retried = await begin("Wait for the provider", "running")
  const running = await begin("Work for long", "running")
  const written = await begin("Raise the retries at once", "completed", { auto_approve: true })
  const delegated = await begin("Delegate", "completed")
  const media = await begin("Look at the chart", "completed")
  const openCall = (page: Page): Promise<void> => page.locator('[data-call="tc_edit"] summary').click()
  const askToCancel = async (page: Page): Promise<void> => {
    const folded = page.locator("#head > details > summary")
    if ((await folded.count()) > 0) await folded.click()
    await page.getByRole("button", { name: "Cancel …" }).click()
  }
  const findText = async (page: Page): Promise<void> => {
    await page.keyboard.press("Control+k")
    await page.keyboard.type("retries")
    await page.locator("#finder [role=option]", { hasText: "retries.ts" }).first().waitFor()
  }
  const askToStop = (page: Page): Promise<void> => page.getByRole("button", { name: /^Stop all \d+ …$/ }).click()
  return [
    { name: "home", path: "/", ready: "#tree [data-id]" },
    { name: "find", path: "/", ready: "#tree [data-id]", act: findText },
    { name: "stop-all", path: "/", ready: "#tree [data-id]", act: askToStop },
    { name: "sign-in", path: "/", ready: "#sign-in", isSignedOut: true },
    { name: "transcript", path: session(long), ready: "#rows .markdown" },
    { name: "limits", path: session(limited), ready: ".banner.bad" },
    { name: "failed", path: session(failed), ready: ".banner.bad" },
    { name: "timed-out", path: session(timedOut), ready: ".banner.bad" },
    { name: "cancelled", path: session(cancelled), ready: "#rows .row.user" },
    { name: "retried", path: session(retried), ready: ".banner.wait" },
    { name: "running", path: session(running), ready: "#rows .working" },
    { name: "cancel", path: session(running), ready: "#rows .call-row", act: askToCancel },
    { name: "media", path: session(media), ready: "#rows .thumbnail img" },
    { name: "call", path: session(written), ready: '[data-call="tc_edit"]', act: openCall },
    { name: "children", path: session(delegated), ready: "#rows .row.child" },
    { name: "timeline", path: session(written, "/timeline"), ready: ".timeline tbody tr" },
    { name: "changes", path: session(written, "/changes"), ready: ".change .diff" },
    { name: "no-changes", path: session(long, "/changes"), ready: "[aria-label=Changes]" },
    { name: "start", path: "/#/start", ready: "#start form" },
    { name: "profiles", path: "/#/profiles", ready: "#profiles .agent" },
    { name: "profile", path: "/#/profiles/editor", ready: "#profiles form" },
    { name: "built-in", path: "/#/profiles/explore", ready: "#profiles pre" },
    { name: "missing", path: session("nosuchsession"), ready: "#pane .empty" },
  ]
}

/** Starts sessions in every state, and returns the views that show them: those of the page, and the pages of links. */
export const beginViews = async (project: WebProject): Promise<readonly PageView[]> => {
  const begin = starter(project)
  const profile = { prompt: "You edit texts.", tools: ["Read", "Edit"] }
  await project.post("/v1/agents", { name: "editor", profile })
  // What the others write would make an edit fail whose preview is made later.
  const paused = await beginPaused(project, begin)
  return [...(await beginOthers(project, begin)), ...paused]
}
