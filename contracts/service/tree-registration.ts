import { z } from "zod"

/** What a command brings to the service for a tree, before the work of the tree is done there. The service keeps it in its memory only. */
export const treeRegistrationSchema = z.strictObject({
  /** Null: of a new task, whose id the service chooses. */
  root_id: z.string().min(1).nullable(),
  /** Working directory of the command, where its configuration is looked for. */
  cwd: z.string().min(1),
  /** The configuration that was named on the command line; null: none was. */
  config_path: z.string().nullable(),
  /** Whether the command trusts the configuration of the project for this time, as `--trust` says. */
  is_trusted: z.boolean(),
  /** The variables that the configuration names, and those that the product reads. */
  env: z.record(z.string(), z.string()),
  /** `TEMPORAL_ADDRESS` of the command; null: it has none. */
  temporal_address: z.string().nullable(),
  /** Whether the open runs of the tree must find their keys among these variables. */
  needs_keys: z.boolean(),
  /** Whether the command waits for the run: it is not to wait for long where the provider is away. */
  is_followed: z.boolean(),
})
export type TreeRegistration = z.infer<typeof treeRegistrationSchema>

export const registeredTreeSchema = z.object({ root_id: z.string() })

/** Header of a request over the socket: the tree whose configuration and variables it uses. */
export const treeHeader = "adjutant-tree"

/** Header of a request over the socket: the command that sends it. */
export const commandHeader = "adjutant-command"
