import { mkdirSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import type { IncomingMessage, ServerResponse } from "node:http"
import os from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OutcomeDocument } from "../../../../contracts/session/outcome-document.ts"
import { serviceApi } from "../../../../contracts/service/service-status.ts"
import { type ServedSocket, serveSocket } from "../../../../service/serve-socket.ts"
import { serviceFiles } from "../../../../service/service-files.ts"
import { runForPackages } from "../../../helpers/loaded-packages.ts"

const outcome: OutcomeDocument = {
  ...{ outcome: "completed", task_id: "k3x9ab", checkpoint_id: "cp", session_id: "k3x9ab" },
  ...{ final_message: "Done.", steps_taken: 1 },
  usage: {
    input_tokens: 1,
    output_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    cost_usd: null,
  },
}

const event = { id: 1, type: "run-finished", session_id: "k3x9ab", run_id: "r1", at: "2026-11-21T10:00:00.000Z" }

const answerApi = (request: IncomingMessage, response: ServerResponse): void => {
  const json = (status: number, document: object): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document))
  }
  if (request.method === "POST") json(202, { session_id: "k3x9ab", run_id: "r1" })
  else if (request.url?.includes("/outcome") === true) json(200, outcome)
  else response.writeHead(200, { "content-type": "text/event-stream" }).write(`data: ${JSON.stringify(event)}\n\n`)
}

describe("`adjutant run` with a service", () => {
  let folder: string
  let dataDir: string
  let served: ServedSocket
  const requests: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "adjutant-test-"))
    dataDir = path.join(folder, "data")
    const files = serviceFiles(dataDir)
    mkdirSync(files.directory, { recursive: true, mode: 0o700 })
    const socket = path.join(files.directory, "socket")
    served = await serveSocket(socket, () => undefined)
    served.answerWith({
      status: async () => {
        requests.push("status")
        return {
          ...{ pid: 7, version: "9.9.9", api: serviceApi, kind: "on-demand", started_at: event.at, url: null },
          ...{ running: 0, pending: 0, paused: 0, kept_by: null, problems: [] },
        }
      },
      mayStop: async () => ({ stopping: false, waits: null }),
      stop: () => undefined,
      pageLink: () => ({ url: null, link: null }),
      register: async () => {
        requests.push("tree")
        return "k3x9ab"
      },
      answer: (request, response) => {
        requests.push(`${request.method} ${request.url}`)
        answerApi(request, response)
      },
    })
    await writeFile(files.address, JSON.stringify({ socket, pid: 7 }))
  })

  afterAll(async () => {
    await served.close(0)
    await rm(folder, { recursive: true, force: true })
  })

  it("sends five requests, and loads neither HTTP clients nor a log nor the store nor Temporal's client", async () => {
    const command = ["run", "Answer.", "--data-dir", dataDir]
    const env = { PATH: process.env["PATH"], HOME: folder, ANTHROPIC_API_KEY: "key-of-a-test" }
    const { stdout, packages } = await runForPackages(folder, command, env)
    expect(stdout).toBe("Done.\n")
    expect(requests).toEqual([
      "status",
      "tree",
      "POST /v1/runs",
      "GET /v1/sessions/k3x9ab/events?after=0",
      "GET /v1/sessions/k3x9ab/outcome?wait_seconds=50",
    ])
    expect(packages.join(" ")).toBe("commander eventsource-parser yaml zod")
  })
})
