import type { ProfileClient } from "../task-client.ts"
import { answers } from "./answers.ts"
import { askServer } from "./ask-server.ts"
import type { ServerConnection } from "./server-connection.ts"

const pathOf = (name: string): string => `/v1/agents/${encodeURIComponent(name)}`

/** Reads and changes the profiles of a server. */
export const remoteProfiles = (connection: ServerConnection): ProfileClient => ({
  list: async () => (await askServer(connection, { path: "/v1/agents", answer: answers.agents })).items,
  read: (name) => askServer(connection, { path: pathOf(name), answer: answers.agent }),
  create: ({ name, profile }) =>
    askServer(connection, { path: "/v1/agents", body: { name, profile }, answer: answers.agent }),
  update: ({ name, profile, version }) =>
    askServer(connection, { method: "PUT", path: pathOf(name), body: { profile, version }, answer: answers.agent }),
  delete: async ({ name, version }) => {
    await askServer(connection, { method: "DELETE", path: pathOf(name), query: { version }, answer: answers.nothing })
  },
})
