import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common"

export const agentStatus = defineSearchAttributeKey("AgentStatus", SearchAttributeType.KEYWORD)
