import { cliPage } from "./cli-page.ts"
import { configurationPage } from "./configuration-page.ts"
import { environmentPage } from "./environment-page.ts"
import { errorsPage } from "./errors-page.ts"
import { pageText } from "./markdown.ts"
import { openApiDocument } from "./openapi-document.ts"

export interface ReferencePage {
  /** Relative to the root of the project. */
  readonly file: string
  readonly text: string
}

/** Returns the pages of `docs/reference` as they should be. */
export const referencePages = async (): Promise<readonly ReferencePage[]> => [
  {
    file: "docs/reference/configuration.md",
    text: pageText(configurationPage(), "contracts/config"),
  },
  { file: "docs/reference/cli.md", text: pageText(await cliPage(), "cli/commands") },
  { file: "docs/reference/errors.md", text: pageText(errorsPage(), "contracts/error-code.ts") },
  {
    file: "docs/reference/environment.md",
    text: pageText(environmentPage(), "config/environment-variables.ts"),
  },
  { file: "docs/reference/openapi.json", text: await openApiDocument() },
]
