import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common"

export const agentStatus = defineSearchAttributeKey("AgentStatus", SearchAttributeType.KEYWORD)
export const agentProfile = defineSearchAttributeKey("AgentProfile", SearchAttributeType.KEYWORD)
export const rootSession = defineSearchAttributeKey("RootSession", SearchAttributeType.KEYWORD)
export const parentSession = defineSearchAttributeKey("ParentSession", SearchAttributeType.KEYWORD)
