import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { pathsInCommand } from "../../domain/workspace/possible-paths.ts"
import { protectedSegments } from "../../domain/workspace/protected-paths.ts"
import { visible } from "../../domain/text/visible.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { commandToolName } from "../tools/without-model/command-tool.ts"

const maxNamed = 10
/** So many paths of a command are looked up in the working directory. */
const maxPaths = 50

/** Returns the part of a path that is protected by its name, wherever the path begins. */
const byName = (path: string): string | undefined =>
  protectedSegments(path.split("/").filter((segment) => segment !== "" && segment !== "."))?.join("/")

/**
 * Returns a flag for each protected path that a shell command names. They help a person who reads the command, and protect nothing: a command can reach
 * a path that its text does not contain.
 */
export const namedProtected = async (
  { protectedChange }: Pick<AgentDependencies, "protectedChange">,
  snapshot: RunSnapshot,
  { name, arguments: args }: Pick<ToolCall, "name" | "arguments">,
): Promise<readonly string[]> => {
  const command = args?.["command"]
  if (name !== commandToolName || typeof command !== "string") return []
  const paths = pathsInCommand(command).filter((path) => !/\s/.test(path))
  const others = paths.filter((path) => byName(path) === undefined).slice(0, maxPaths)
  const lookedUp = await Promise.all(others.map((path) => protectedChange(snapshot, path)))
  const named = new Set([...paths.map(byName), ...lookedUp].filter((path) => path !== undefined))
  return [...named].slice(0, maxNamed).map((path) => `names the protected path ${visible(path)}`)
}
