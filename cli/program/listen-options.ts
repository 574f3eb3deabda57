import type { Command } from "commander"
import { nonEmpty, port } from "./option-parsers.ts"

export interface ListenFlags {
  readonly host?: string
  readonly port?: number
}

/** Adds `--host` and `--port` of the HTTP API; `whereText` describes the host. */
export const addListenOptions = (command: Command, whereText: string): Command =>
  command
    .option("--host <host>", `${whereText} (default: http.host, 127.0.0.1)`, nonEmpty)
    .option("--port <port>", "its port; 0: any free one (default: http.port, 7420)", port)
