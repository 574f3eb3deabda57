import type { AdjutantClient } from "../../client/create-client.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { travellingVariables } from "../../config/travelling-variables.ts"
import type { TreeRegistration } from "../../contracts/service/tree-registration.ts"
import { findUsableService, registerTree } from "../../service/ask-service.ts"
import type { CliContext } from "../program/cli-context.ts"
import { placeOfCommand, startServiceFor } from "./start-service-for.ts"

/** Returns the configuration and the variables with which a command registers a tree. */
export const broughtBy = (
  context: Pick<CliContext, "cwd" | "options" | "env">,
  loaded: LoadedConfig,
  { isFollowed }: { readonly isFollowed: boolean },
): Omit<TreeRegistration, "root_id" | "needs_keys"> => ({
  is_followed: isFollowed,
  ...placeOfCommand(context),
  env: travellingVariables(loaded, context.env),
  temporal_address: context.env["TEMPORAL_ADDRESS"] ?? null,
})

export interface TreeToLeave {
  readonly client: Pick<AdjutantClient, "hasWorker">
  /** Null: there is work, but no tree. */
  readonly rootId: string | null
}

/**
 * Leaves the work of a tree to the service, with the environment of this command. If no service answers, it starts one, unless another worker of the store
 * runs.
 * @throws AdjutantError `service_unavailable`, or why the service cannot use the configuration
 */
export const handOverTree = async (
  context: CliContext,
  loaded: LoadedConfig,
  { client, rootId }: TreeToLeave,
): Promise<void> => {
  const found = await findUsableService(loaded.dataDir)
  if (found === undefined && (await client.hasWorker())) return
  const { socket } = found ?? (await startServiceFor(context, loaded.dataDir))
  if (rootId !== null)
    await registerTree(socket, {
      ...broughtBy(context, loaded, { isFollowed: false }),
      root_id: rootId,
      needs_keys: false,
    })
}
