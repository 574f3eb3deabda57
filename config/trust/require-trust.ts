import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { advise } from "../../domain/advice/advise.ts"
import { withAdvice } from "../../domain/advice/explain.ts"
import type { Surface } from "../../domain/advice/surface.ts"
import { envValue } from "../environment.ts"
import { describeReview } from "./describe-review.ts"
import { acceptTrust, type FoundConfig, reviewTrust, type TrustReview } from "./review-trust.ts"

/** How a command treats the configuration of a project that is not trusted. */
export interface TrustOptions {
  /** `--trust`: the user trusts it for this process; nothing is stored. */
  readonly isGiven?: boolean
  /** Asks the person at the terminal. Gets the question and what it is about, one line each. */
  readonly ask?: (question: string, lines: readonly string[]) => Promise<boolean>
  readonly confinesCommands?: FoundConfig["confinesCommands"]
  /** Where a refusal is read; default: at the command line. */
  readonly surface?: Surface
}

const trustProblem = ({ state }: TrustReview, name: string): string =>
  state === "changed" ? `${name} has changed since it was trusted` : `${name} is not trusted`

const adviceFor = ({ surface = { kind: "cli" } }: TrustOptions) => advise({ about: "trust" }, surface)

const givenByEnvironment = (env: FoundConfig["env"]): boolean => envValue(env, "ADJUTANT_TRUST") === "1"

/**
 * Requires that a configuration which was found in a project is harmless or trusted. The configuration applies as a whole, with
 * its restrictions, or not at all. @throws AdjutantError `config_not_trusted`, with the keys in the lines after the first
 */
export const requireTrust = async (found: FoundConfig, name: string, options: TrustOptions = {}): Promise<void> => {
  if (options.isGiven === true || givenByEnvironment(found.env)) return
  const review = await reviewTrust({ ...found, confinesCommands: options.confinesCommands })
  if (review.state !== "new" && review.state !== "changed") return
  const problem = trustProblem(review, name)
  const lines = describeReview(review)
  if (options.ask === undefined)
    throw new AdjutantError("config_not_trusted", [withAdvice(problem, adviceFor(options)), ...lines].join("\n"))
  if (!(await options.ask(problem, lines)))
    throw new AdjutantError("config_not_trusted", `${problem}: nothing was started`)
  await acceptTrust(review, found.env)
}
