import { resolve } from "node:path"
import type { LoadedConfig } from "./loaded-config.ts"

/** Returns the absolute paths of the directories in which sessions of HTTP callers can work: `http.workspaces`, or else the project root. */
export const workspacesOf = ({
  config,
  projectRoot,
}: Pick<LoadedConfig, "config" | "projectRoot">): readonly string[] =>
  config.http.workspaces?.map((path) => resolve(projectRoot, path)) ?? [projectRoot]

/** Returns the directory of a session whose HTTP caller names none. */
export const defaultWorkspace = (loaded: Pick<LoadedConfig, "config" | "projectRoot">): string =>
  workspacesOf(loaded)[0] ?? loaded.projectRoot
