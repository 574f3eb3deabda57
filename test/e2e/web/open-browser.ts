import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { findChromium } from "./find-chromium.ts"

/** Without access to any network except the page's own, and without the sandbox, which is unavailable to root. */
const flags = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
]

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: findChromium(), args: flags })

export interface WatchedPage {
  readonly page: Page
  /** Problems reported by the console, an exception or the content security policy. */
  readonly complaints: readonly string[]
  /** Requests that went to another origin. */
  readonly strangers: readonly string[]
}

const desktop = { width: 1440, height: 900 }

/** Opens a page in its own context, signed in with a token if one is given, and collects its problems. */
export const openPage = async (
  browser: Browser,
  url: string,
  { token, ...options }: BrowserContextOptions & { readonly token?: string } = {},
): Promise<WatchedPage> => {
  const context = await browser.newContext({ viewport: desktop, ...options })
  if (token !== undefined)
    await context.addInitScript(`localStorage.setItem("adjutant-token", ${JSON.stringify(token)})`)
  const page = await context.newPage()
  const complaints: string[] = []
  const strangers: string[] = []
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("request", (request) => {
    // An address of `blob:` has the origin of the page that made it.
    if (new URL(request.url()).origin !== new URL(url).origin) strangers.push(request.url())
  })
  await page.goto(url)
  return { page, complaints, strangers }
}
