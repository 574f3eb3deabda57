import { expect, it } from "vitest"
import { cancelSession } from "../../../cli/cancel-session.ts"
import type { TaskHost } from "../../../cli/host/task-host.ts"

it("asks for the end of what is open below a task that has ended, and starts no worker for it", async () => {
  const asked: string[] = []
  const host = {
    client: {
      info: async () => ({ status: "completed", root_session_id: "top" }),
      cancel: async (id: string) => {
        asked.push(id)
        return { status: "completed" }
      },
    },
  } as unknown as TaskHost
  const context = { interrupts: new AbortController().signal } as never
  expect(await cancelSession(host, context, "top")).toBe("completed")
  expect(asked).toEqual(["top"])
})
