import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger"
import type { OpenAPIV3_1 } from "openapi-types"
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from "fastify-type-provider-zod"
import { z } from "zod"
import { callPreviewSchema } from "../contracts/approval/call-preview.ts"
import { callDecisionSchema } from "../contracts/approval/decision.ts"
import { grantSchema } from "../contracts/http/grants.ts"
import { pauseReasonSchema, pendingToolCallSchema } from "../contracts/approval/pause.ts"
import { agentSchema } from "../contracts/http/agents.ts"
import { approvalSchema } from "../contracts/http/approvals.ts"
import { auditEntrySchema } from "../contracts/http/audit.ts"
import { httpErrorSchema } from "../contracts/http/http-error.ts"
import { sendMessageBodySchema, startRunBodySchema } from "../contracts/http/send-message.ts"
import { transcriptRowSchema } from "../contracts/http/sessions.ts"
import { transcriptMessageSchema } from "../contracts/message.ts"
import { outcomeDocumentSchema } from "../contracts/session/outcome-document.ts"
import { sessionDetailSchema, sessionRunSchema } from "../contracts/session/session-detail.ts"
import { blockedBySchema, sessionLimitsSchema, sessionSchema } from "../contracts/session/session.ts"
import { statusSchema, stopReasonSchema } from "../contracts/status.ts"
import { usageItemSchema, usageSchema } from "../contracts/usage.ts"

/** The shapes that generated clients get as types of these names. */
const shapes = {
  Agent: agentSchema,
  Approval: approvalSchema,
  AuditEntry: auditEntrySchema,
  BlockedBy: blockedBySchema,
  CallDecision: callDecisionSchema,
  CallPreview: callPreviewSchema,
  Error: httpErrorSchema,
  Grant: grantSchema,
  Message: transcriptMessageSchema,
  OutcomeDocument: outcomeDocumentSchema,
  PauseReason: pauseReasonSchema,
  PendingCall: pendingToolCallSchema,
  SendMessage: sendMessageBodySchema,
  Session: sessionSchema,
  SessionDetail: sessionDetailSchema,
  SessionLimits: sessionLimitsSchema,
  SessionRun: sessionRunSchema,
  StartRun: startRunBodySchema,
  Status: statusSchema,
  StopReason: stopReasonSchema,
  TranscriptRow: transcriptRowSchema,
  Usage: usageSchema,
  UsageItem: usageItemSchema,
} as const

const schemaRegistry = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries(shapes)) schemaRegistry.add(schema, { id })

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>

/** Adds the descriptions, which are in zod's own registry: the names of the components are only in this one. */
const withDescriptions: Override = ({ zodSchema, jsonSchema }) => {
  const { id: _, ...described } = z.globalRegistry.get(zodSchema) ?? {}
  Object.assign(jsonSchema, described)
}

/** Lists the properties of a record whose keys are all required: zod only names them as required. */
const withProperties: Override = ({ jsonSchema }) => {
  const { required, properties, additionalProperties } = jsonSchema
  if (required === undefined || properties !== undefined || typeof additionalProperties !== "object") return
  jsonSchema.properties = Object.fromEntries(required.map((name) => [name, additionalProperties]))
  jsonSchema.additionalProperties = false
  delete jsonSchema.propertyNames
}

const override: Override = (context) => {
  withDescriptions(context)
  withProperties(context)
}

const options = { schemaRegistry, zodToJsonConfig: { override } }

/** Returns the names of all components to which a part of the document refers. */
const refersTo = (part: unknown): readonly string[] =>
  [...JSON.stringify(part).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name)

/** Returns the document without components that nothing refers to. */
const withoutUnused = (document: Partial<OpenAPIV3_1.Document>): Partial<OpenAPIV3_1.Document> => {
  const all = document.components?.schemas ?? {}
  const used = new Set(refersTo(document.paths ?? {}))
  for (const name of used) for (const found of refersTo(all[name] ?? {})) used.add(found)
  const schemas = Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)))
  return { ...document, components: { ...document.components, schemas } }
}

export const transform: NonNullable<FastifyDynamicSwaggerOptions["transform"]> = createJsonSchemaTransform(options)

const withComponents = createJsonSchemaTransformObject(options)

export const transformObject: typeof withComponents = (document) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- http/openapi.ts declares version 3.1
  withoutUnused(withComponents(document) as Partial<OpenAPIV3_1.Document>)
