import { programOnPath } from "../../server/program/program-on-path.ts"
import type { Environment } from "../../domain/environment.ts"

/** Returns the command of the pager: `$PAGER`, or else `less -R` if it is there. Undefined if none is wanted or there. */
export const pagerCommand = (env: Environment): string | undefined => {
  const wanted = env["PAGER"]?.trim()
  if (wanted !== undefined) return wanted === "" || wanted === "cat" ? undefined : wanted
  return programOnPath("less", env) === undefined ? undefined : "less -R"
}

/** Returns the command of the editor: `$VISUAL`, or else `$EDITOR`, or else `vi` if it is there. */
export const editorCommand = (env: Environment): string | undefined => {
  const wanted = [env["VISUAL"], env["EDITOR"]].map((name) => name?.trim() ?? "").find((name) => name !== "")
  return wanted ?? (programOnPath("vi", env) === undefined ? undefined : "vi")
}
