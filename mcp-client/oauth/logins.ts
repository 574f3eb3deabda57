import { createHash, randomUUID } from "node:crypto"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { systemCode } from "../../domain/text/error-message.ts"

const loginSchema = z.object({
  version: z.literal(1),
  /** The server that the tokens are for: they are sent to no other one. */
  url: z.string(),
  client: z.looseObject({
    client_id: z.string(),
    client_secret: z.string().optional(),
    issuer: z.string().optional(),
  }),
  tokens: z.looseObject({
    access_token: z.string(),
    token_type: z.string(),
    expires_in: z.number().optional(),
    scope: z.string().optional(),
    refresh_token: z.string().optional(),
    id_token: z.string().optional(),
    issuer: z.string().optional(),
  }),
})

/** What a person's login at one server gave. */
export type Login = z.infer<typeof loginSchema>

/** The logins of this user: one file for each server, so that two processes never change the same file for different servers. */
export interface Logins {
  /** Returns the login at a server; undefined if there is none that can be read. */
  read(url: string): Promise<Login | undefined>
  write(login: Omit<Login, "version">): Promise<void>
  /** Returns whether there was a login. */
  remove(url: string): Promise<boolean>
}

/** @param onSecret gets each token and secret that is read or written, to be redacted from then on */
export const createLogins = (folder: string, onSecret: (value: string) => void): Logins => {
  const fileOf = (url: string): string => join(folder, `${createHash("sha256").update(url).digest("hex")}.json`)
  const remember = ({ tokens, client }: Pick<Login, "tokens" | "client">): void => {
    for (const value of [tokens.access_token, tokens.refresh_token, tokens.id_token, client.client_secret])
      if (value !== undefined && value !== "") onSecret(value)
  }
  return {
    async read(url) {
      const text = await readFile(fileOf(url), "utf8").catch(() => undefined)
      if (text === undefined) return undefined
      const read = loginSchema.safeParse(jsonOf(text))
      if (!read.success || read.data.url !== url) return undefined
      remember(read.data)
      return read.data
    },
    async write(login) {
      remember(login)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const draft = join(folder, `${randomUUID()}.draft`)
      try {
        await writeFile(draft, `${JSON.stringify({ version: 1, ...login }, null, 2)}\n`, { flag: "wx", mode: 0o600 })
        await rename(draft, fileOf(login.url))
      } finally {
        await rm(draft, { force: true })
      }
    },
    async remove(url) {
      try {
        await rm(fileOf(url))
        return true
      } catch (error) {
        if (systemCode(error) === "ENOENT") return false
        throw error
      }
    },
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
