import { z } from "zod"
import { sandboxModeSchema } from "../approval/run-policy.ts"

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

/** A path that is absolute or below the home directory. */
const shownPathSchema = z
  .string()
  .max(4_096)
  .regex(/^(?:\/|~\/|~$)/, "must be an absolute path, or one that begins with ~/")

const sandboxFields = z.strictObject({
  mode: sandboxModeSchema
    .default("auto")
    .describe(
      "`auto`: commands are confined if a sandbox works; `require`: they are refused if none works; `off`: they are not confined.",
    ),
  read: z
    .array(shownPathSchema)
    .default([])
    .describe(
      "More files and directories that confined commands can read. Keys, passwords and sockets in them stay hidden.",
    ),
  write: z.array(shownPathSchema).default([]).describe("More directories that confined commands can write to."),
  network: z
    .array(allowedDomainSchema)
    .default([])
    .describe(
      "Hosts that confined commands can reach, as in `example.org` or `*.example.org`, each with or without `:port`. Empty: no network. Requires the backend `sandbox-runtime`.",
    ),
  toolchains: z
    .enum(["auto", "off"])
    .default("auto")
    .describe(
      "`auto`: confined commands can read the toolchains below the home directory that PATH and the usual version managers name.",
    ),
})
export type SandboxConfig = z.infer<typeof sandboxFields>

/** `security.sandbox`: the mode alone, or all of it. */
export const sandboxConfigSchema = z
  .preprocess((value) => (typeof value === "string" ? { mode: value } : value), sandboxFields.prefault({}))
  .prefault({})

/** What one confined command can use. */
export const sandboxLimitsSchema = z.strictObject({
  memoryMb: z
    .number()
    .int()
    .min(64)
    .default(4_096)
    .describe("Memory of one command with everything that it starts, in MiB."),
  processes: z.number().int().min(8).default(2_048).describe("Processes of one command at the same time."),
  cpuSeconds: z
    .number()
    .int()
    .min(1)
    .default(3_600)
    .describe("Processor time of one command, summed over its processes, in seconds."),
  fileMb: z.number().int().min(1).default(10_240).describe("Size of a file that a command writes, in MiB."),
})
export type SandboxLimits = z.infer<typeof sandboxLimitsSchema>

/** The name of an image, with or without registry, tag and digest; never an option. */
export const dockerImageSchema = z
  .string()
  .regex(/^[a-z0-9][A-Za-z0-9._:/@-]{0,254}$/, "must be the name of an image, like node:24")
