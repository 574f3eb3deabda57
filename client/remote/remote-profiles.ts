import { z } from "zod"
import { agentListSchema, agentSchema } from "../../contracts/http/agents.ts"
import type { ProfileClient } from "../task-client.ts"
import { askServer } from "./ask-server.ts"
import type { ServerConnection } from "./server-connection.ts"

const pathOf = (name: string): string => `/v1/agents/${encodeURIComponent(name)}`

/** Reads and changes the profiles of a server. */
export const remoteProfiles = (connection: ServerConnection): ProfileClient => ({
  list: async () => (await askServer(connection, { path: "/v1/agents", answer: agentListSchema })).items,
  read: (name) => askServer(connection, { path: pathOf(name), answer: agentSchema }),
  create: ({ name, profile }) =>
    askServer(connection, { path: "/v1/agents", body: { name, profile }, answer: agentSchema }),
  update: ({ name, profile, version }) =>
    askServer(connection, { method: "PUT", path: pathOf(name), body: { profile, version }, answer: agentSchema }),
  delete: async ({ name, version }) => {
    await askServer(connection, { method: "DELETE", path: pathOf(name), query: { version }, answer: z.null() })
  },
})
