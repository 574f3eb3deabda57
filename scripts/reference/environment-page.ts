import { environmentGroups, usualSecretNames } from "../../config/environment-variables.ts"
import { bullet, code, type Page, wrap } from "./markdown.ts"

/** Returns the page of every environment variable that the product reads. */
export const environmentPage = (): Page => ({
  title: "Environment reference",
  blocks: [
    wrap(
      "The environment variables that Adjutant reads by a fixed name. Keys of the configuration that end in `Env` name more. The configuration file takes precedence over `LLM_…` and `LIGHT_LLM_…`. An empty variable counts as not set. Files named `.env` are not read.",
    ),
    wrap(
      "Variables that contain secrets are removed from logs, events and errors. Each can also come from a file: if `NAME_FILE` contains a path, the content of that file is the value of `NAME`.",
    ),
    ...environmentGroups.flatMap(({ title, variables }) => [
      `## ${title}`,
      variables
        .map(({ name, description, isSecret }) =>
          bullet(`${code(name)}${isSecret === true ? " (secret)" : ""}: ${description}`),
        )
        .join("\n"),
    ]),
    "## Secrets from files",
    usualSecretNames.map((name) => bullet(code(`${name}_FILE`))).join("\n"),
  ],
})
