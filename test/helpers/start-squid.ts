import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { freePort } from "../../server/exposure/choose-ports.ts"
import { eventually } from "./eventually.ts"
import type { Need } from "./needs.ts"

const program = "/usr/sbin/squid"
const passwords = "/usr/lib/squid/basic_ncsa_auth"

export const squid: Need = { name: "squid", isAvailable: existsSync(program) && existsSync(passwords) }

export interface Squid extends AsyncDisposable {
  readonly url: string
}

interface SquidOptions {
  /** Names that only the proxy knows; they are this machine. */
  readonly hosts: readonly string[]
  /** Whether it requires the user `ana` with the password `p@ss`. */
  readonly isProtected: boolean
  /** Whether it opens tunnels to port 443 only, as its Debian package is configured. */
  readonly tunnelsTo443Only?: boolean
}

/** `p@ss`, as `openssl passwd -apr1` writes it. */
const users = "ana:$apr1$74710Dc9$7zcpwQHmV5lz816QxRrNl0\n"

const configOf = (folder: string, port: number, { isProtected, tunnelsTo443Only = false }: SquidOptions): string =>
  [
    `http_port 127.0.0.1:${port}`,
    "pid_filename none",
    "cache deny all",
    "access_log none",
    "cache_store_log none",
    "cache_log /dev/stderr",
    "pinger_enable off",
    `coredump_dir ${folder}`,
    `hosts_file ${folder}/hosts`,
    "shutdown_lifetime 0 seconds",
    "acl CONNECT method CONNECT",
    "acl SSL_ports port 443",
    ...(tunnelsTo443Only ? ["http_access deny CONNECT !SSL_ports"] : []),
    ...(isProtected
      ? [
          `auth_param basic program ${passwords} ${folder}/users`,
          "auth_param basic children 1",
          "acl known proxy_auth REQUIRED",
          "http_access allow known",
        ]
      : ["http_access allow localhost"]),
    "http_access deny all",
    "",
  ].join("\n")

/** Starts Squid on loopback. */
export const startSquid = async (options: SquidOptions): Promise<Squid> => {
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-squid-"))
  // As root, it reads its files as another user.
  await chmod(folder, 0o755)
  const port = await freePort(new Set())
  const config = path.join(folder, "squid.conf")
  await writeFile(path.join(folder, "hosts"), options.hosts.map((host) => `127.0.0.1 ${host}\n`).join(""))
  await writeFile(path.join(folder, "users"), users)
  await writeFile(config, configOf(folder, port, options))
  const child = spawn(program, ["-N", "-f", config], { stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  child.stderr.on("data", (bytes: Buffer) => (said += bytes.toString()))
  const ended = once(child, "exit")
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`squid ended with ${child.exitCode}: ${said}`)
    return (await fetch(url).catch(() => undefined)) !== undefined
  })
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL")
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
