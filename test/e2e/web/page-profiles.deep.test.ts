import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { agentSchema } from "../../../contracts/http/agents.ts"
import { describeWith } from "../../helpers/needs.ts"
import { findChromium } from "./find-chromium.ts"
import { openBrowser, openPage } from "./open-browser.ts"
import { openWebProject, type WebProject } from "./web-project.ts"

const chromium = { name: "Chromium", isAvailable: findChromium() !== undefined }

describeWith([chromium], "the profiles on the web page", () => {
  let project: WebProject
  let browser: Browser
  beforeAll(async () => {
    ;[project, browser] = await Promise.all([openWebProject(), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await project?.remove()
  })

  /** Changes profiles as someone else does. */
  const send = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(project.url + path, {
      method,
      headers: { authorization: `Bearer ${project.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const read = async (name: string) => agentSchema.parse(await (await send("GET", `/v1/agents/${name}`)).json())
  const create = async (name: string): Promise<void> => {
    expect((await send("POST", "/v1/agents", { name, profile: { prompt: "You edit." } })).status).toBe(201)
  }

  /** Opens a view, acts on it, and expects no problems but refused requests. */
  const at = async (path: string, act: (page: Page) => Promise<void>): Promise<void> => {
    const { page, complaints, strangers } = await openPage(browser, `${project.url}/#/profiles${path}`, {
      token: project.token,
    })
    page.setDefaultTimeout(60_000)
    try {
      await act(page)
      expect(complaints.filter((text) => !/status of 40\d/.test(text))).toEqual([])
      expect(strangers).toEqual([])
    } finally {
      await page.context().close()
    }
  }

  const settings = (page: Page) => page.getByLabel("Settings, as JSON")
  const status = (page: Page, text: string) => page.locator("#profiles [role=status]").getByText(text).waitFor()

  it("lists them, creates one, edits it and deletes it", async () => {
    await at("", async (page) => {
      await page.locator("#profiles .agent", { hasText: "explore" }).getByText("built in").waitFor()
      await page.getByRole("button", { name: "New profile" }).click()
      await page.getByLabel("Name", { exact: true }).fill("editor")
      await settings(page).fill('{"prompt": "You edit texts.", "tools": ["Nothing" }')
      await page.getByText("This is not a JSON object.").waitFor()
      await settings(page).fill('{"prompt": "You edit texts.", "colour": 1}')
      await page.getByRole("button", { name: "Create the profile" }).click()
      await page.locator(".failure", { hasText: "colour" }).waitFor()
      await settings(page).fill('{"prompt": "You edit texts.", "tools": ["Read", "Edit"]}')
      await page.getByRole("button", { name: "Create the profile" }).click()
      await status(page, "Created editor.")
      expect(new URL(page.url()).hash).toBe("#/profiles/editor")
      await settings(page).fill('{"prompt": "You edit texts. Keep them short."}')
      await page.getByRole("button", { name: "Save" }).click()
      await status(page, "Saved editor.")
      await page.getByText("Version 2 by").waitFor()
      expect(await read("editor")).toMatchObject({
        version: 2,
        profile: { prompt: "You edit texts. Keep them short." },
      })
      await page.getByRole("button", { name: "Delete …" }).click()
      await page.getByRole("button", { name: "Keep it" }).click()
      await page.getByRole("button", { name: "Delete …" }).click()
      await page.getByRole("button", { name: "Delete the profile" }).click()
      await status(page, "Deleted editor.")
      await page.locator("#profiles .agent", { hasText: "explore" }).waitFor()
      expect(await page.locator("#profiles .agent", { hasText: "editor" }).count()).toBe(0)
    })
    expect((await send("GET", "/v1/agents/editor")).status).toBe(404)
  })

  it("shows a profile of others as it is", async () => {
    await at("/explore", async (page) => {
      await page.getByText("It is built in.").waitFor()
      expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0)
    })
  })

  it("says that someone else has changed a profile, and loses no text", async () => {
    await create("shared")
    await at("/shared", async (page) => {
      await settings(page).fill('{"prompt": "Mine."}')
      await send("PUT", "/v1/agents/shared", { profile: { prompt: "Theirs." }, version: 1 })
      await page.getByRole("button", { name: "Save" }).click()
      const conflict = page.getByRole("alert")
      await conflict.getByText("has changed shared since you read it").waitFor()
      await conflict.getByText("Theirs.").waitFor()
      expect(await settings(page).inputValue()).toContain("Mine.")
      expect(await read("shared")).toMatchObject({ version: 2, profile: { prompt: "Theirs." } })
      await conflict.getByRole("button", { name: "Replace it with my text" }).click()
      await status(page, "Saved shared.")
      await page.getByText("Version 3 by").waitFor()
      expect(await read("shared")).toMatchObject({ version: 3, profile: { prompt: "Mine." } })

      await send("PUT", "/v1/agents/shared", { profile: { prompt: "Theirs again." }, version: 3 })
      await page.getByRole("button", { name: "Delete …" }).click()
      await page.getByRole("button", { name: "Delete the profile" }).click()
      await page.getByRole("button", { name: "Take that version" }).click()
      await page.getByText("Version 4 by").waitFor()
      expect(await settings(page).inputValue()).toContain("Theirs again.")
    })
  })

  it("says that someone else has deleted a profile, and can create it again", async () => {
    await create("gone")
    await at("/gone", async (page) => {
      await settings(page).fill('{"prompt": "Kept."}')
      await send("DELETE", "/v1/agents/gone")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Someone has deleted gone since you read it.").waitFor()
      await page.getByRole("button", { name: "Create it again with my text" }).click()
      await status(page, "Created gone.")
      expect(await read("gone")).toMatchObject({ profile: { prompt: "Kept." } })
    })
  })
})
