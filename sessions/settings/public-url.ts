import type { Config } from "../../contracts/config/config.ts"

const everywhere = new Set(["0.0.0.0", "::", "[::]"])

/** Where people reach the HTTP server, without a slash at the end, as links name it. */
export const publicUrlOf = ({ publicUrl, host, port }: Config["http"]): string => {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "")
  const name = everywhere.has(host) ? "localhost" : host
  return `http://${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}:${port}`
}
