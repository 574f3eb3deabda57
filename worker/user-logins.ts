import { join } from "node:path"
import { stateFolder } from "../config/data-dir/state-folder.ts"
import { rememberSecret } from "../config/secrets/secret-files.ts"
import type { Environment } from "../domain/environment.ts"
import { createLogins, type Logins } from "../mcp-client/oauth/logins.ts"

/** Returns the logins of this user at MCP servers; undefined if the user has no state folder. */
export const userLogins = (env: Environment): Logins | undefined => {
  const state = stateFolder(env)
  return state === undefined
    ? undefined
    : createLogins(join(state, "mcp-logins"), (value) => rememberSecret(env, value))
}
