import { z } from "zod"
import { profileNameSchema } from "../names.ts"
import { storedProfileSchema } from "../config/stored-profile.ts"
import type { AdvertisedTool } from "./delegation-tools.ts"

const version = z.number().int().positive()

export const profilesListInputSchema = z.strictObject({
  name: z.string().min(1).max(200).optional().describe("Only this profile, with its settings and version"),
})
export const profilesCreateInputSchema = z.strictObject({ name: profileNameSchema, profile: storedProfileSchema })
export const profilesUpdateInputSchema = z.strictObject({
  name: profileNameSchema,
  profile: storedProfileSchema.describe("The new settings, which replace those of the profile"),
  version: version.describe("The version that profiles_list returned"),
})
export const profilesDeleteInputSchema = z.strictObject({
  name: profileNameSchema,
  version: version.optional().describe("Delete only this version (default: the latest)"),
})

/** The tools with which an MCP client that may do everything changes the profiles in the store. No run gets them. */
export const profileTools: readonly AdvertisedTool[] = [
  {
    name: "profiles_list",
    input: profilesListInputSchema,
    ...{ readOnly: true, destructive: false, idempotent: true },
    description:
      "Lists every profile with its source; with name, returns its settings and version. Only profiles whose source is store can be changed here.",
  },
  {
    name: "profiles_create",
    input: profilesCreateInputSchema,
    ...{ readOnly: false, destructive: false, idempotent: false },
    description:
      "Creates a profile in the store: sub-agents that start afterwards can run as it. It cannot run programs or name secrets; only the configuration file can.",
  },
  {
    name: "profiles_update",
    input: profilesUpdateInputSchema,
    ...{ readOnly: false, destructive: true, idempotent: false },
    description:
      "Replaces the settings of a profile in the store. Read it first: the change is refused if someone else has changed it since. Runs that have started keep their settings.",
  },
  {
    name: "profiles_delete",
    input: profilesDeleteInputSchema,
    ...{ readOnly: false, destructive: true, idempotent: true },
    description: "Deletes a profile from the store. Runs that have started keep their settings.",
  },
]
