import type { Finding } from "./finding.ts"

export interface KeysQuestion {
  readonly env: NodeJS.ProcessEnv
  /** Names of the environment variables with secrets to which the configuration or a model refers. */
  readonly keyNames?: readonly string[]
  /** Why a run that names no model is refused. */
  readonly modelProblem?: string
}

const modelKeys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "LLM_API_KEY", "LIGHT_LLM_API_KEY"]

/** Reports whether the secrets are set that the configuration needs. Others do not count. */
export const diagnoseKeys = ({ env, keyNames = [], modelProblem }: KeysQuestion): Finding => {
  const name = "keys"
  const isSet = (key: string): boolean => (env[key] ?? "").trim() !== ""
  const present = [...new Set([...modelKeys, ...keyNames, "ADJUTANT_API_TOKEN"])].filter(isSet)
  const absent = keyNames.filter((key) => !isSet(key))
  const problems = [
    ...(modelProblem === undefined ? [] : [modelProblem]),
    ...(absent.length === 0 ? [] : [`not set, although the configuration refers to them: ${absent.join(", ")}`]),
  ]
  if (problems.length > 0)
    return {
      name,
      status: "warn",
      detail: problems.join("; "),
      hint: "set them where `adjutant` and its workers start",
    }
  return {
    name,
    status: "ok",
    detail: present.length === 0 ? "none is needed by the configured models" : `set: ${present.join(", ")}`,
  }
}
