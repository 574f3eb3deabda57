import { appendFile, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { bundlePage } from "../../../scripts/page/bundle-page.ts"
import { sessionSchema } from "../../../contracts/session/session.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createPdf, createPng } from "../../helpers/media-files.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"
import { conversations, fileBefore } from "./web-conversations.ts"

export interface WebProject {
  readonly url: string
  /** The token that the server requires. */
  readonly token: string
  /** What the server printed on standard output. */
  stdout(): string
  readonly directory: ProjectDirectory
  /** Starts a session with a message; returns its id. */
  begin(message: string, fields?: Readonly<Record<string, unknown>>): Promise<string>
  /** Sends a request, and returns its answer. */
  post(to: string, body: object): Promise<Response>
  info(id: string): Promise<ReturnType<typeof sessionSchema.parse>>
  /** Waits until the session has the status. */
  reaches(id: string, status: string): Promise<void>
  remove(): Promise<void>
}

/** The files that agents read: a text, an image and a PDF. */
export const projectFiles = {
  "retries.ts": fileBefore,
  "chart.png": createPng(640, 360, { grey: 0x90 }),
  "report.pdf": createPdf(2),
}

/** Starts a real server with its worker, at which the page is opened. */
export const openWebProject = async (
  configuredToken?: string,
  played: readonly object[] = conversations,
): Promise<WebProject> => {
  await bundlePage(path.resolve(import.meta.dirname, "../../.."))
  const directory = await createProject(
    { main: { conversations: played } },
    { ADJUTANT_TRUST: "1", ...(configuredToken === undefined ? {} : { ADJUTANT_API_TOKEN: configuredToken }) },
  )
  for (const [name, content] of Object.entries(projectFiles)) await writeFile(path.join(directory.cwd, name), content)
  await appendFile(path.join(directory.cwd, "adjutant.config.yaml"), "profiles: { source: store }\n")
  const server = directory.start("dev", "--port", "0")
  let stdout = ""
  let stderr = ""
  server.child.stdout?.on("data", (text: string) => (stdout += text))
  server.child.stderr?.on("data", (text: string) => (stderr += text))
  await server.stderrHas("listening on ")
  await eventually(() => /listening on \S+\n/.test(stderr))
  const url = /listening on (\S+)\n/.exec(stderr)?.[1] ?? ""
  const token = configuredToken ?? (await readFile(path.join(directory.dataDir, "api-token"), "utf8"))
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` }
  const post = async (to: string, body: object): Promise<Response> => {
    const answer = await fetch(url + to, { method: "POST", headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${to}: ${await answer.text()}`)
    return answer
  }
  const info = async (id: string) =>
    sessionSchema.parse(await (await fetch(`${url}/v1/sessions/${id}`, { headers })).json())
  return {
    url,
    token,
    stdout: () => stdout,
    directory,
    post,
    info,
    begin: async (message, fields = {}) => {
      const created = sessionSchema.parse(await (await post("/v1/sessions", { title: message })).json())
      await post(`/v1/sessions/${created.id}/messages`, { message, ...fields })
      return created.id
    },
    reaches: async (id, status) => {
      await eventually(async () => (await info(id)).status === status, { timeoutMs: 60_000 })
    },
    remove: async () => {
      // The server waits for calls in flight, and some of these take minutes.
      await post("/v1/stop", { all: true }).catch(() => undefined)
      server.child.kill("SIGTERM")
      await server.ended
      await directory.remove()
    },
  }
}
