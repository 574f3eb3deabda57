import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Environment } from "../../domain/environment.ts"
import type { LoginRequest } from "../../mcp-client/oauth/log-in.ts"
import type { Logins } from "../../mcp-client/oauth/logins.ts"
import { userLogins } from "../user-logins.ts"

const requireLogins = (env: Environment): Logins => {
  const logins = userLogins(env)
  if (logins === undefined)
    throw new AdjutantError("data_dir_unusable", "there is no home directory for the login: set XDG_STATE_HOME")
  return logins
}

/** Lets a person log in at a server. Returns how many tools the server then lists. */
export const logInToServer = async (request: Omit<LoginRequest, "logins">): Promise<number> => {
  // Loaded here, since every worker reads the logins, and few need the SDK.
  const { logIn } = await import("../../mcp-client/oauth/log-in.ts")
  return await logIn({ ...request, logins: requireLogins(request.env) })
}

/** Removes the login at a server. Returns whether there was one. */
export const logOutOfServer = (url: string, env: Environment): Promise<boolean> => requireLogins(env).remove(url)
