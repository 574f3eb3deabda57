import { resolve } from "node:path"
import type { LoadedConfig } from "./loaded-config.ts"

/** Absolute paths of the directories in which sessions of callers over HTTP work: those of `http.workspaces`, else the project root. */
export const workspacesOf = ({
  config,
  projectRoot,
}: Pick<LoadedConfig, "config" | "projectRoot">): readonly string[] =>
  config.http.workspaces?.map((path) => resolve(projectRoot, path)) ?? [projectRoot]

/** Where a session works whose caller over HTTP names no directory. */
export const defaultWorkspace = (loaded: Pick<LoadedConfig, "config" | "projectRoot">): string =>
  workspacesOf(loaded)[0] ?? loaded.projectRoot
