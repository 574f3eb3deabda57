import { z } from "zod"
import { isAdjutantError } from "../contracts/adjutant-error.ts"
import { readWhole, writeWhole } from "../server/process/server-files.ts"
import { serviceFiles } from "./service-files.ts"

const lastPortSchema = z.object({ configured: z.number().int(), port: z.number().int() })
type LastPort = z.infer<typeof lastPortSchema>

const isLastPort = (value: unknown): value is LastPort => lastPortSchema.safeParse(value).success

export interface ServeSomewhere<Http> {
  readonly dataDir: string
  /** `http.port` */
  readonly configured: number
  readonly serve: (listen: { readonly port: number } | { readonly onlyLocally: true }) => Promise<Http>
  readonly warn: (message: string) => void
}

/**
 * Starts the HTTP API where it can listen: at the port that this data directory had last, so that links to the page stay valid, at the configured one, or at
 * any. Without the tokens and secrets that the configuration names, it answers on the socket of the service only.
 */
export const serveSomewhere = async <Http extends { readonly url: string | undefined }>({
  dataDir,
  configured,
  serve,
  warn,
}: ServeSomewhere<Http>): Promise<Http> => {
  const file = serviceFiles(dataDir).port
  const last = readWhole(file, isLastPort)
  for (const port of new Set([last?.configured === configured ? last.port : configured, configured, 0]))
    try {
      const http = await serve({ port })
      if (http.url !== undefined) writeWhole(file, { configured, port: Number(new URL(http.url).port) })
      return http
    } catch (error) {
      if (isAdjutantError(error) && error.code === "port_in_use") continue
      if (!isAdjutantError(error) || error.code !== "invalid_config") throw error
      warn(`the HTTP API does not listen: ${error.message}`)
      break
    }
  return await serve({ onlyLocally: true })
}
