import { errorTable } from "../../contracts/error-code.ts"
import { bullet, code, type Page, wrap } from "./markdown.ts"

/** Returns the page of every error code, from the table. */
export const errorsPage = (): Page => ({
  title: "Error reference",
  blocks: [
    wrap(
      "Every error has a code. HTTP returns it with the status below as `{error, code, request_id}`, the library throws it as `AdjutantError`, and the command line prints the message and exits with the exit code below. The `error.code` of a failed run is one of these codes, or its stop reason.",
    ),
    ...Object.entries(errorTable).flatMap(([name, { http, exit, meaning, action }]) => [
      `## ${code(name)}`,
      wrap(meaning),
      [bullet(`HTTP status ${http}, exit code ${exit}`), bullet(`What to do: ${action}`)].join("\n"),
    ]),
  ],
})
