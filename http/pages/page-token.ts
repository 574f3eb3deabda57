import { z } from "zod"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { routeOf, type ZodApp } from "../openapi.ts"
import type { SignatureGuard } from "../security/guard-requests.ts"
import type { PageCodes } from "../security/page-codes.ts"

const bodySchema = z.strictObject({ code: z.string().min(1).max(128) })

/**
 * Adds the exchange of a one-time code for the token. The page sends the code, which it reads from the fragment of its address: browsers send
 * fragments to no server and to no other page.
 */
export const pageTokenRoute = (
  app: ZodApp,
  { token, codes, guard }: { readonly token: string; readonly codes: PageCodes; readonly guard: SignatureGuard },
): void => {
  const { config, schema } = routeOf("page", "exchangePageCode", "Exchange a one-time code for the token", {
    access: "signed",
    body: bodySchema,
    answers: { 200: z.object({ token: z.string() }) },
  })
  app.post("/page-token", { config, schema: { ...schema, hide: true } }, async (request, reply) => {
    if (codes.redeem(request.body.code)) return { token }
    guard.refused(request, reply)
    throw new AdjutantError(
      "unauthorized",
      "this link was used before or is too old; run `adjutant open`, or enter the token",
    )
  })
}
