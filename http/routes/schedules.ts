import { z } from "zod"
import type { ScheduleConfig } from "../../contracts/config/schedules.ts"
import {
  addScheduleBodySchema,
  changeScheduleBodySchema,
  scheduleListSchema,
  scheduleParamsSchema,
  scheduleViewSchema,
} from "../../contracts/schedules/schedules.ts"
import { emptyBodySchema } from "../../contracts/http/http-ids.ts"
import type { HttpContext } from "../http-options.ts"
import { routeOf, type ZodApp } from "../openapi.ts"
import { actorOf } from "../security/actor-of.ts"

const scheduleOf = ({
  name: _name,
  catch_up_minutes: catchUpMinutes,
  pause_on_failure: pauseOnFailure,
  budget_usd: budgetUsd,
  ...same
}: z.infer<typeof addScheduleBodySchema>): ScheduleConfig => ({
  ...same,
  catchUpMinutes,
  pauseOnFailure,
  ...(budgetUsd === undefined ? {} : { budgetUsd }),
})

const params = scheduleParamsSchema
const one = { 200: scheduleViewSchema }

/** Adds the routes that list, add, change and delete schedules. */
export const scheduleRoutes = (app: ZodApp, context: HttpContext): void => {
  const { schedules } = context.client
  app.get(
    "/v1/schedules",
    routeOf("schedules", "listSchedules", "List the schedules with their next times", {
      access: "read",
      answers: { 200: scheduleListSchema },
    }),
    async () => ({ items: [...(await schedules.list())], next_cursor: null }),
  )
  app.post(
    "/v1/schedules",
    routeOf("schedules", "addSchedule", "Add a schedule; its tasks have the rights of the caller", {
      access: "run",
      body: addScheduleBodySchema,
      answers: { 201: scheduleViewSchema },
      location: "/v1/schedules/{name}",
    }),
    async (request, reply) => {
      const { body } = request
      const added = { name: body.name, schedule: scheduleOf(body), actor: actorOf(request, context) }
      return reply.code(201).send(await schedules.add(added))
    },
  )
  app.get(
    "/v1/schedules/:name",
    routeOf("schedules", "getSchedule", "Return a schedule", { access: "read", params, answers: one }),
    (request) => schedules.read(request.params.name),
  )
  app.patch(
    "/v1/schedules/:name",
    routeOf("schedules", "changeSchedule", "Pause or resume a schedule", {
      ...{ access: "run", params, body: changeScheduleBodySchema, answers: one },
    }),
    (request) =>
      schedules.change(request.params.name, {
        change: request.body.paused ? "pause" : "resume",
        actor: actorOf(request, context),
      }),
  )
  app.post(
    "/v1/schedules/:name/trigger",
    routeOf("schedules", "triggerSchedule", "Start a task of a schedule now", {
      ...{ access: "run", params, body: emptyBodySchema, answers: one },
    }),
    (request) => schedules.change(request.params.name, { change: "trigger", actor: actorOf(request, context) }),
  )
  app.delete(
    "/v1/schedules/:name",
    routeOf("schedules", "deleteSchedule", "Delete a schedule that was added, or that is no longer configured", {
      ...{ access: "run", params, answers: { 204: z.null() } },
    }),
    async (request, reply) => {
      await schedules.delete(request.params.name, actorOf(request, context))
      return reply.code(204).send(null)
    },
  )
}
