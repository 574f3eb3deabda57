import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { anonymousHistory } from "../../../scripts/checks/anonymous-history.ts"

const folder = path.resolve(import.meta.dirname, "../../histories")
const names = readdirSync(folder)

describe("a golden history", () => {
  it.each(names)("%s contains neither the machine nor the process that recorded it", (name) => {
    const text = readFileSync(path.join(folder, name), "utf8")
    expect(anonymousHistory(text)).toBe(text)
  })
})

it("loses only identities, process ids and stack traces", () => {
  const event = {
    eventId: "1",
    workflowTaskStartedEventAttributes: { identity: "17@laptop" },
    activityTaskStartedEventAttributes: { lastWorker: "18@laptop-queue" },
    workflowExecutionFailedEventAttributes: {
      failure: { message: "stopped", stackTrace: "Error\n    at file.ts:1:1", cause: { stackTrace: "at file.ts:2:2" } },
    },
  }
  expect(JSON.parse(anonymousHistory(JSON.stringify({ events: [event] })))).toEqual({
    events: [
      {
        eventId: "1",
        workflowTaskStartedEventAttributes: { identity: "recorder" },
        activityTaskStartedEventAttributes: { lastWorker: "recorder" },
        workflowExecutionFailedEventAttributes: { failure: { message: "stopped", cause: {} } },
      },
    ],
  })
})
