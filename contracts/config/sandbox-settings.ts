import { z } from "zod"

/** What can confine commands. */
export const sandboxBackendSchema = z.enum(["bubblewrap", "sandbox-runtime", "docker"])
export type SandboxBackend = z.infer<typeof sandboxBackendSchema>

const labels = String.raw`(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
const port = String.raw`(?::[1-9][0-9]{0,4})?`
const domainPattern = new RegExp(String.raw`^(?:localhost|${labels}|\*\.${labels}|\[[0-9A-Fa-f:.]{2,45}\])${port}$`)

/** `example.org`, `*.example.org`, an address; each may end in `:<port>`. */
export const allowedDomainSchema = z
  .string()
  .max(253)
  .regex(domainPattern, "must be a host like example.org, *.example.org or [::1], with or without :port")

/** The name of an image, with or without registry, tag and digest; never an option. */
export const dockerImageSchema = z
  .string()
  .regex(/^[a-z0-9][A-Za-z0-9._:/@-]{0,254}$/, "must be the name of an image, like node:24")
