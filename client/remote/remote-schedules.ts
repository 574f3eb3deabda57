import { withoutUndefined } from "../../domain/without-undefined.ts"
import type { SchedulesClient } from "../task-client.ts"
import { answers } from "./answers.ts"
import { askServer } from "./ask-server.ts"
import type { ServerConnection } from "./server-connection.ts"

const pathOf = (name: string, rest = ""): string => `/v1/schedules/${encodeURIComponent(name)}${rest}`
const answer = answers.schedule

/** Reads and changes the schedules of a server. */
export const remoteSchedules = (connection: ServerConnection): SchedulesClient => ({
  list: async () => (await askServer(connection, { path: "/v1/schedules", answer: answers.schedules })).items,
  read: (name) => askServer(connection, { path: pathOf(name), answer }),
  add: ({ name, schedule: { catchUpMinutes, pauseOnFailure, budgetUsd, ...same } }) =>
    askServer(connection, {
      path: "/v1/schedules",
      body: {
        ...{ name, catch_up_minutes: catchUpMinutes, pause_on_failure: pauseOnFailure },
        ...withoutUndefined({ ...same, budget_usd: budgetUsd }),
      },
      answer,
    }),
  change: (name, { change }) =>
    change === "trigger"
      ? askServer(connection, { path: pathOf(name, "/trigger"), body: {}, answer })
      : askServer(connection, { method: "PATCH", path: pathOf(name), body: { paused: change === "pause" }, answer }),
  delete: async (name) => {
    await askServer(connection, { method: "DELETE", path: pathOf(name), answer: answers.nothing })
  },
})
