import { AdjutantError } from "../../../contracts/adjutant-error.ts"

/** A worktree, or what was changed in it, is larger than what Adjutant keeps. Unlike any other failure of git, it is the same at every attempt. */
export class WorktreeLimit extends AdjutantError {
  constructor(message: string) {
    super("invalid_argument", message)
  }
}
