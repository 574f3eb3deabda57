import type { ConnectionOptions } from "node:tls"
import { AdjutantError } from "../../contracts/adjutant-error.ts"

export interface TlsSource {
  readonly parameter: (name: "sslmode" | "sslrootcert" | "sslcert" | "sslkey") => string | undefined
  readonly readFile: (parameter: string, path: string) => string
}

const modes = ["disable", "require", "verify-ca", "verify-full"] as const
type Mode = (typeof modes)[number]
const isMode = (text: string): text is Mode => modes.some((mode) => mode === text)

/**
 * Returns the TLS options for libpq's parameters: `require` encrypts without verifying the server (with `sslrootcert` it equals `verify-ca`),
 * `verify-ca` requires a trusted certificate, `verify-full` also one for the host's name. `prefer` and `allow`, which fall back to no encryption, are
 * refused.
 */
export const postgresTls = ({ parameter, readFile }: TlsSource): ConnectionOptions | false => {
  const mode = parameter("sslmode") ?? (parameter("sslrootcert") === undefined ? "disable" : "verify-full")
  if (!isMode(mode)) throw new AdjutantError("invalid_config", `store.url: sslmode must be one of ${modes.join(", ")}`)
  if (mode === "disable") return false
  const file = (name: "sslrootcert" | "sslcert" | "sslkey"): string | undefined => {
    const path = parameter(name)
    return path === undefined || path === "system" ? undefined : readFile(name, path)
  }
  const [ca, cert, key] = [file("sslrootcert"), file("sslcert"), file("sslkey")]
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...verification(mode, ca !== undefined),
  }
}

const verification = (mode: Exclude<Mode, "disable">, hasRoot: boolean): ConnectionOptions => {
  switch (mode) {
    case "verify-full":
      return { rejectUnauthorized: true }
    case "verify-ca":
      return { rejectUnauthorized: true, checkServerIdentity: () => undefined }
    case "require":
      return hasRoot
        ? { rejectUnauthorized: true, checkServerIdentity: () => undefined }
        : { rejectUnauthorized: false }
  }
}
