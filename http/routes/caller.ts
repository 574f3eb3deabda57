import { callerSchema } from "../../contracts/http/approvals.ts"
import { scopeSchema } from "../../contracts/config/config-services.ts"
import { mayCall } from "../access.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

/** Adds what a caller may do. */
export const callerRoute = (app: ZodApp): void => {
  app.get(
    "/v1/caller",
    routeOf("approvals", "getCaller", "Return who the caller is, and what they may do", {
      access: "read",
      answers: { 200: callerSchema },
    }),
    async ({ caller }) => ({
      name: caller?.name ?? "",
      scopes: scopeSchema.options.filter((scope) => caller !== null && mayCall(caller, scope)),
    }),
  )
}
