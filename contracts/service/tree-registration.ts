import { z } from "zod"

/** What a command gives to the service for a tree, before it leaves the tree to it. The service keeps it in its memory only. */
export const treeRegistrationSchema = z.strictObject({
  root_id: z.string().min(1),
  /** Working directory of the command, where its configuration is looked for. */
  cwd: z.string().min(1),
  /** The configuration that was named on the command line; null: none was. */
  config_path: z.string().nullable(),
  /** Whether the command trusts the configuration of the project for this time, as `--trust` says. */
  is_trusted: z.boolean(),
  /** The variables that the configuration names, and those that the product reads. */
  env: z.record(z.string(), z.string()),
})
export type TreeRegistration = z.infer<typeof treeRegistrationSchema>
