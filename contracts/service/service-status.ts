import { z } from "zod"

/** How a service was started: by a command that needed it, or by a person or a program in the foreground. */
const serviceKindSchema = z.enum(["on-demand", "foreground"])
export type ServiceKind = z.infer<typeof serviceKindSchema>

/** Number of the requests that commands send over the socket: it changes when an older or newer command could not be served. */
export const serviceApi = 3

/** The request of a process that works in addition to a service. It is answered when the service ends. */
export const attachPath = "/service/attached"

/** What the service of a data directory says about itself on its socket. */
export const serviceStatusSchema = z.object({
  pid: z.number().int().positive(),
  /** Version of the package that it runs. */
  version: z.string(),
  /** Its `serviceApi`. */
  api: z.number().int(),
  kind: serviceKindSchema,
  started_at: z.string(),
  /** Address of the HTTP API and the page; null: it listens on its socket only. */
  url: z.string().nullable(),
  /** Tasks by status. */
  running: z.number().int(),
  pending: z.number().int(),
  paused: z.number().int(),
  /** Open connections on its socket, that of the caller included. */
  connections: z.number().int(),
  /** Why the service does not end by itself when nothing runs; null: it does. */
  kept_by: z.string().nullable(),
  /** What is wrong with the destinations of `notify`, as far as their services say. */
  problems: z.array(z.string()).default([]),
})
export type ServiceStatus = z.infer<typeof serviceStatusSchema>

export const stopServiceSchema = z.strictObject({
  /** Calls in flight are not waited for. */
  now: z.boolean(),
  /**
   * Who asks for the end: a person, the last command where none stays (refused while other commands are connected or a run is active), a process that is
   * going to be the service itself, or a command of a newer build, for which the service ends once its calls in flight have ended.
   */
  by: z.enum(["person", "last-command", "successor", "newer-build"]),
  /** The last command has waited for deliveries long enough. */
  leaves_deliveries: z.boolean().optional(),
})
export type StopService = z.infer<typeof stopServiceSchema>

/** `waits`: why the service stays for now, although its end was requested. */
export const stopServiceAnswerSchema = z.object({
  stopping: z.boolean(),
  waits: z.enum(["other-commands", "runs", "deliveries"]).nullable(),
})
export type StopServiceAnswer = z.infer<typeof stopServiceAnswerSchema>

/** The page of a service. `link` signs in once; null: callers need a token of the configuration. */
export const pageLinkSchema = z.object({ url: z.string().nullable(), link: z.string().nullable() })
export type PageLink = z.infer<typeof pageLinkSchema>

/** Where a service can be reached; the content of the address file in its data directory. */
export const serviceAddressSchema = z.object({
  socket: z.string().min(1),
  pid: z.number().int().positive(),
  /** Of the package; absent for builds that did not write it. */
  version: z.string().optional(),
  kind: serviceKindSchema.optional(),
})
export type ServiceAddress = z.infer<typeof serviceAddressSchema>
